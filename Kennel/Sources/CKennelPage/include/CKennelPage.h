#pragma once

#include <stddef.h>

/// A file of Kennel's page from `assets`, embedded in the program.
typedef struct {
  /// The name, such as `grid.css`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} kennel_page_file;

/// Returns the file at an index, or null if the index is past the end.
const kennel_page_file *_Nullable kennel_page_file_at(size_t index);

/// Reads the identifier that the linker gave to the program, which is different for programs with other code or files.
///
/// Returns the number of bytes, or 0 if there is none.
size_t kennel_build_id(unsigned char *_Nonnull bytes, size_t capacity);
