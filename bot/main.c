#include <sysexits.h>

int main(void)
{
	return EX_USAGE;
}
