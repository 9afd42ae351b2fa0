#define _GNU_SOURCE
#include "CKennelPage.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  unsigned char *bytes;
  size_t capacity;
  size_t count;
} build_id;

// Notes are aligned to four bytes, or to eight in a segment with that alignment.
static size_t padded(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

static void read_notes(const unsigned char *notes, size_t size, size_t alignment, build_id *found) {
  size_t position = 0;
  while (size - position >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + position, sizeof note);
    position += sizeof note;
    size_t name = padded(note.n_namesz, alignment), content = padded(note.n_descsz, alignment);
    if (name > size - position || content > size - position - name) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        memcmp(notes + position, "GNU", sizeof "GNU") == 0 && note.n_descsz <= found->capacity) {
      memcpy(found->bytes, notes + position + name, note.n_descsz);
      found->count = note.n_descsz;
      return;
    }
    position += name + content;
  }
}

// Called for each file that the process has loaded.
static int read_build_id(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  uintptr_t code = (uintptr_t)&kennel_build_id;
  int is_own = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && code >= start && code - start < segment->p_memsz) is_own = 1;
  }
  if (!is_own) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    read_notes((const unsigned char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz,
               segment->p_align == 8 ? 8 : 4, context);
  }
  return 1;
}

size_t kennel_build_id(unsigned char *bytes, size_t capacity) {
  build_id found = {bytes, capacity, 0};
  dl_iterate_phdr(read_build_id, &found);
  return found.count;
}
