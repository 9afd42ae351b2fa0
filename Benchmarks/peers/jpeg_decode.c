// Repeatedly decodes a JPEG with libjpeg-turbo at one of its scales, and drops the rows. This is the minimum cost of
// thumbnails for a program that uses the library.
//
//   jpeg-decode FILE SECONDS SCALE      (SCALE is the M of M/8)
//
// Prints one line of JSON.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
// Must follow stdio.h.
#include <jpeglib.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned char *contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) die(path);
  long length = ftell(file);
  if (length <= 0) die(path);
  rewind(file);
  unsigned char *bytes = malloc((size_t)length);
  if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) die(path);
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

// Decodes the file once. For a damaged file, the library's default error handler ends the program.
static void decode(const unsigned char *bytes, size_t size, unsigned scale) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  decoder.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, bytes, size);
  jpeg_read_header(&decoder, TRUE);
  decoder.scale_num = scale;
  decoder.scale_denom = 8;
  jpeg_start_decompress(&decoder);
  JSAMPLE *row = malloc((size_t)decoder.output_width * (size_t)decoder.output_components);
  if (!row) die("malloc");
  while (decoder.output_scanline < decoder.output_height) jpeg_read_scanlines(&decoder, &row, 1);
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
  free(row);
}

int main(int argc, char **argv) {
  unsigned scale = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
  if (scale < 1 || scale > 8) {
    fprintf(stderr, "usage: jpeg-decode FILE SECONDS SCALE\n");
    return 2;
  }
  size_t size;
  unsigned char *bytes = contents(argv[1], &size);
  double wanted = strtod(argv[2], NULL);
  // Work that is done only once does not count.
  decode(bytes, size, scale);
  double started = seconds_now(), used = processor_seconds();
  size_t count = 0;
  do {
    decode(bytes, size, scale);
    count++;
  } while (seconds_now() - started < wanted);
  used = processor_seconds() - used;
  printf("{\"requests\":%zu,\"seconds\":%.6f,\"bytes\":0,\"cpu_seconds\":%.6f}\n", count, seconds_now() - started,
         used);
  free(bytes);
  return 0;
}
