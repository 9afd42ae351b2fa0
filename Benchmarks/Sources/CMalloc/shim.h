// Swift's Glibc leaves this header out.
#include <malloc.h>
