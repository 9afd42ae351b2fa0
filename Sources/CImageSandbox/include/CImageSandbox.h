// The restrictions of a process that decodes images from strangers. They are written in C, because the filter is a program
// made of macros of the kernel's headers.
#ifndef C_IMAGE_SANDBOX_H
#define C_IMAGE_SANDBOX_H

#include <stddef.h>

/// Restricts this process for the rest of its life. Call it before any thread is created.
///
/// The process keeps the descriptors 0 to `last_descriptor`, and cannot open others: no files, no network, no programs, no
/// signals to other processes. It may allocate `memory` bytes in addition to what it has, and use `seconds` of the
/// processor. Returns 0, or an errno if a restriction is not available; the process must not decode anything then.
int retriever_image_sandbox_enter(int last_descriptor, size_t memory, unsigned seconds);

#endif
