#pragma once

#include <stddef.h>

/// A file of Kennel's page, as it lies in `assets`, within the program.
typedef struct {
  /// As in `grid.css`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} kennel_page_file;

/// The file at a place in the list; null behind its end.
const kennel_page_file *_Nullable kennel_page_file_at(size_t index);
