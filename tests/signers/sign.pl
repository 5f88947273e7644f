#!/usr/bin/perl
# sign.pl KEYFILE ALGORITHM EXPIRES - signs the mail on standard input as
# example.com, with libmail-dkim-perl. EXPIRES: seconds since 1970, 0: never.
use strict;
use warnings;
use Mail::DKIM::Signature;
use Mail::DKIM::Signer;

my ($key_file, $algorithm, $expires) = @ARGV;

sub policy {
	my $signer = shift;
	my $signature = Mail::DKIM::Signature->new(
		Algorithm => $algorithm,
		Method => 'relaxed/simple',
		Headers => $signer->headers,
		Domain => 'example.com',
		Selector => 'Intel',
		Key => Mail::DKIM::PrivateKey->load(File => $key_file),
		$expires ? (Timestamp => $expires - 60,
			    Expiration => $expires) : (),
	);
	$signer->add_signature($signature);
	return 0;
}

binmode STDIN;
binmode STDOUT;
my $mail = do { local $/; <STDIN> };
my $signer = Mail::DKIM::Signer->new(Policy => \&policy);
$signer->PRINT($mail);
$signer->CLOSE;
print join("\r\n", map { $_->as_string } $signer->signatures), "\r\n", $mail;
