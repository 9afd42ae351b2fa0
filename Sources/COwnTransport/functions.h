// Functions of libraries that are looked up at run time. A file lists those that it uses in a macro
// `FUNCTIONS(F)` of `F(result, name, arguments)`, and calls `name` as `p_name`.
#ifndef RETRIEVER_OWN_TRANSPORT_FUNCTIONS_H
#define RETRIEVER_OWN_TRANSPORT_FUNCTIONS_H

#include <dlfcn.h>

#define DECLARE(result, name, arguments) static result(*p_##name) arguments;

// Looks a function up in `LIBRARIES`, and returns if it is missing. The C standard has no conversion from an object
// pointer to a function pointer; POSIX has.
#define FIND(result, name, arguments)                                                                                 \
    *(void **)&p_##name = dlsym(LIBRARIES, #name);                                                                    \
    if (!p_##name) return;

#endif
