// Swift's Glibc module does not include this header.
#include <malloc.h>
