#pragma once

#include <stddef.h>

/// The files of Kennel's page, as they lie beside page.c, within the program.
typedef struct {
  /// As in `app.css`.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} kennel_page_file;

/// All of them; the last one has no name.
extern const kennel_page_file kennel_page_files[];
