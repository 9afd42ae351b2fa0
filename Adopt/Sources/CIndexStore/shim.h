#pragma once
// The types of the functions of the toolchain's libIndexStore that adopt calls. Swift cannot declare functions that pass
// structures by value. adopt loads the library at run time, because it has to match the compiler that wrote the index.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *IndexObject;
// Not terminated by a zero. Valid as long as the object that it came from.
typedef struct {
  const char *data;
  size_t length;
} IndexString;

typedef IndexObject (*IndexStoreOpening)(const char *path, IndexObject *error);
typedef IndexObject (*IndexReaderOpening)(IndexObject store, const char *name, IndexObject *error);
typedef void (*IndexDisposing)(IndexObject object);
typedef const char *(*IndexErrorText)(IndexObject error);
typedef IndexString (*IndexStringGetter)(IndexObject object);
typedef int (*IndexKindGetter)(IndexObject dependency);
typedef uint64_t (*IndexRolesGetter)(IndexObject occurrence);
typedef IndexObject (*IndexSymbolGetter)(IndexObject occurrence);
typedef void (*IndexPlaceGetter)(IndexObject occurrence, unsigned *line, unsigned *column);
typedef void (*IndexTimeGetter)(IndexObject reader, int64_t *seconds, int64_t *nanoseconds);
typedef bool (*IndexNameVisitor)(void *context, IndexString name);
typedef bool (*IndexObjectVisitor)(void *context, IndexObject object);
typedef bool (*IndexUnitList)(IndexObject store, unsigned sorted, void *context, IndexNameVisitor visitor);
typedef bool (*IndexObjectList)(IndexObject reader, void *context, IndexObjectVisitor visitor);
