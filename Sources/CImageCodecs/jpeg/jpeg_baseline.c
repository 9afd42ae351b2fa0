#include "jpeg_baseline.h"

#include <stdlib.h>
#include <string.h>

#include "jpeg_colors.h"
#include "jpeg_restart.h"
#include "jpeg_transform.h"

enum {
  /// The number of MCUs per batch that fit into the first-level cache together with the tables. A batch also gives
  /// stores of single coefficients time to complete before vectors read them.
  batch_mcus = 8,
  /// The number of bytes that are read, but not used, after the samples of a row.
  plane_slack = 16,
  /// The minimum number of bytes to start a batch. With fewer bytes, it would probably end too early.
  min_batch_bytes = 2048,
  few_pixels = 200000,
};

/// The samples of a component in one row of MCUs.
typedef struct jpeg_plane {
  uint8_t *samples;
  size_t bytes_per_row;
  /// The number of samples of a block in each direction.
  unsigned block_size;
  /// The number of blocks of an MCU in each direction.
  unsigned across, down;
} jpeg_plane;

struct jpeg_baseline {
  j_decompress_ptr image;
  jpeg_restart restart;
  unsigned components;
  jpeg_plane planes[3];
  /// Chroma at full width, if its width was halved: two rows of this.
  uint8_t *wide;
  size_t narrow_width;
  bool widens_smoothly;
  /// Luminance at 1/4 has the mean light of the samples, not the light of their mean.
  bool keeps_light;
  uint32_t mcus_per_row, mcu_rows;
  uint32_t mcu, mcu_row;
  /// The number of rows in a row of MCUs, and how many of them were returned.
  uint32_t rows_per_mcu, row_of_mcu;
  uint32_t row;
  jpeg_block_reading readings[3];
  jpeg_entropy entropy;
  jpeg_block blocks[batch_mcus * jpeg_max_blocks + 1];
  uint8_t lasts[batch_mcus * jpeg_max_blocks];
  // Last, and initialized only if they are used, because they are large.
  jpeg_huffman dc[NUM_HUFF_TBLS];
  jpeg_ac_table ac[NUM_HUFF_TBLS];
};

// MARK: - Supported images

static bool has_usual_scan(j_decompress_ptr image) {
  if (image->progressive_mode || image->arith_code || image->data_precision != 8) return false;
  if (image->comps_in_scan != image->num_components) return false;
  if (image->Ss != 0 || image->Se != DCTSIZE2 - 1 || image->Ah != 0 || image->Al != 0) return false;
  for (int index = 0; index < image->num_components; index++) {
    const jpeg_component_info *component = &image->comp_info[index];
    if (image->cur_comp_info[index] != component || component->quant_tbl_no < 0 ||
        component->quant_tbl_no >= NUM_QUANT_TBLS || !image->quant_tbl_ptrs[component->quant_tbl_no]) {
      return false;
    }
  }
  return true;
}

static bool has_usual_colors(j_decompress_ptr image) {
  if (image->num_components == 1) {
    return image->jpeg_color_space == JCS_GRAYSCALE && image->out_color_space == JCS_GRAYSCALE;
  }
  return image->num_components == 3 && image->jpeg_color_space == JCS_YCbCr &&
         image->out_color_space == JCS_RGB;
}

/// Chroma must have one sample for 1 × 1, 2 × 1 or 2 × 2 samples of luminance. No row of it may be blended from two.
static bool has_usual_sampling(j_decompress_ptr image) {
  const jpeg_component_info *light = &image->comp_info[0];
  int size = image->min_DCT_scaled_size;
  if (size != 1 && size != 2 && size != 4 && size != 8) return false;
  if (light->h_samp_factor > 2 || light->v_samp_factor > 2 || light->DCT_scaled_size != size) return false;
  if (image->num_components == 1) return light->h_samp_factor == 1 && light->v_samp_factor == 1;
  // Only vertical subsampling is rare: it comes from rotated camera images.
  if (light->v_samp_factor == 2 && light->h_samp_factor == 1) return false;
  for (int index = 1; index < 3; index++) {
    const jpeg_component_info *chroma = &image->comp_info[index];
    if (chroma->h_samp_factor != 1 || chroma->v_samp_factor != 1) return false;
    if (chroma->DCT_scaled_size != size * light->v_samp_factor || chroma->DCT_scaled_size > 8) return false;
  }
  return true;
}

// MARK: - Creation

/// Images with few pixels use fewer bits per lookup, because the tables take time to build.
static unsigned pair_bits_for(j_decompress_ptr image) {
  uint64_t pixels = (uint64_t)image->image_width * image->image_height;
  return pixels < few_pixels ? jpeg_max_pair_bits - 3 : jpeg_max_pair_bits;
}

// libjpeg reads files without their own tables, which rely on the standard ones.

static bool set_up_dc(jpeg_baseline *baseline, int number) {
  if (number < 0 || number >= NUM_HUFF_TBLS) return false;
  const JHUFF_TBL *source = baseline->image->dc_huff_tbl_ptrs[number];
  return source && jpeg_huffman_make(&baseline->dc[number], source, true);
}

static bool set_up_ac(jpeg_baseline *baseline, int number) {
  if (number < 0 || number >= NUM_HUFF_TBLS) return false;
  const JHUFF_TBL *source = baseline->image->ac_huff_tbl_ptrs[number];
  return source && jpeg_ac_table_make(&baseline->ac[number], source, pair_bits_for(baseline->image));
}

static bool set_up_reading(jpeg_baseline *baseline, int index) {
  const jpeg_component_info *component = &baseline->image->comp_info[index];
  jpeg_block_reading *reading = &baseline->readings[index];
  int dc = component->dc_tbl_no, ac = component->ac_tbl_no;
  const jpeg_component_info *before = index > 0 ? component - 1 : NULL;
  if (!(before && before->dc_tbl_no == dc) && !set_up_dc(baseline, dc)) return false;
  if (!(before && before->ac_tbl_no == ac) && !set_up_ac(baseline, ac)) return false;
  const JQUANT_TBL *steps = baseline->image->quant_tbl_ptrs[component->quant_tbl_no];
  jpeg_block_reading_make(reading, &baseline->dc[dc], &baseline->ac[ac], steps);
  reading->component = index;
  reading->wants_ac = component->DCT_scaled_size > 1;
  for (int block = 0; block < component->h_samp_factor * component->v_samp_factor; block++) {
    baseline->entropy.blocks[baseline->entropy.blocks_per_mcu++] = reading;
  }
  return true;
}

static bool set_up_plane(jpeg_baseline *baseline, int index) {
  const jpeg_component_info *component = &baseline->image->comp_info[index];
  jpeg_plane *plane = &baseline->planes[index];
  plane->block_size = (unsigned)component->DCT_scaled_size;
  plane->across = (unsigned)component->h_samp_factor;
  plane->down = (unsigned)component->v_samp_factor;
  plane->bytes_per_row = (size_t)baseline->mcus_per_row * plane->across * plane->block_size + plane_slack;
  plane->samples = calloc(plane->bytes_per_row, (size_t)plane->down * plane->block_size);
  return plane->samples;
}

static bool set_up_widening(jpeg_baseline *baseline) {
  j_decompress_ptr image = baseline->image;
  const jpeg_component_info *light = &image->comp_info[0], *chroma = &image->comp_info[1];
  if (chroma->DCT_scaled_size == light->h_samp_factor * light->DCT_scaled_size) return true;
  // The condition under which libjpeg smooths chroma, and the width that it smooths.
  size_t width = chroma->downsampled_width;
  baseline->narrow_width = width;
  baseline->widens_smoothly = image->do_fancy_upsampling && image->min_DCT_scaled_size > 1 && width > 2;
  baseline->wide = calloc(4, baseline->planes[1].bytes_per_row);
  return baseline->wide && width <= baseline->planes[1].bytes_per_row - plane_slack;
}

static bool set_up(jpeg_baseline *baseline) {
  j_decompress_ptr image = baseline->image;
  const jpeg_component_info *light = &image->comp_info[0];
  uint32_t width = (uint32_t)light->h_samp_factor * DCTSIZE;
  uint32_t height = (uint32_t)light->v_samp_factor * DCTSIZE;
  baseline->mcus_per_row = (image->image_width + width - 1) / width;
  baseline->mcu_rows = (image->image_height + height - 1) / height;
  baseline->rows_per_mcu = (uint32_t)(light->v_samp_factor * light->DCT_scaled_size);
  // No row is ready, so the next one starts a row of MCUs.
  baseline->row_of_mcu = baseline->rows_per_mcu;
  baseline->components = (unsigned)image->num_components;
  for (int index = 0; index < image->num_components; index++) {
    if (!set_up_reading(baseline, index) || !set_up_plane(baseline, index)) return false;
  }
  jpeg_restart_make(&baseline->restart, image->restart_interval);
  return baseline->components == 1 || set_up_widening(baseline);
}

jpeg_baseline *jpeg_baseline_make(j_decompress_ptr image, bool keeps_light) {
  if (!has_usual_scan(image) || !has_usual_colors(image) || !has_usual_sampling(image)) return NULL;
  // Aligned for vectors, and in complete cache lines.
  jpeg_baseline *baseline = aligned_alloc(64, (sizeof *baseline + 63) / 64 * 64);
  if (!baseline) return NULL;
  memset(baseline, 0, offsetof(jpeg_baseline, dc));
  baseline->image = image;
  baseline->keeps_light = keeps_light && image->comp_info[0].DCT_scaled_size == 2;
  if (set_up(baseline)) return baseline;
  jpeg_baseline_free(baseline);
  return NULL;
}

void jpeg_baseline_free(jpeg_baseline *baseline) {
  for (int index = 0; index < 3; index++) free(baseline->planes[index].samples);
  free(baseline->wide);
  free(baseline);
}

// MARK: - Reading

/// Computes the samples of consecutive MCUs.
static void transform(jpeg_baseline *baseline, uint32_t first, unsigned count) {
  const jpeg_block *block = baseline->blocks;
  const uint8_t *last = baseline->lasts;
  for (uint32_t mcu = first; mcu < first + count; mcu++) {
    for (unsigned component = 0; component < baseline->components; component++) {
      const jpeg_plane *plane = &baseline->planes[component];
      uint8_t *samples = plane->samples + (size_t)mcu * plane->across * plane->block_size;
      for (unsigned row = 0; row < plane->down; row++, samples += plane->bytes_per_row * plane->block_size) {
        for (unsigned column = 0; column < plane->across; column++, block++, last++) {
          uint8_t *place = samples + column * plane->block_size;
          if (component == 0 && baseline->keeps_light) {
            jpeg_transform_to_mean_light(block, *last, place, plane->bytes_per_row);
          } else {
            jpeg_transform(block, *last, plane->block_size, place, plane->bytes_per_row);
          }
        }
      }
    }
  }
}

static unsigned minimum(unsigned first, unsigned second) {
  return first < second ? first : second;
}

/// Replaces missing MCUs: the first is decoded as if zeros followed, the others are gray.
static bool fill_missing(jpeg_baseline *baseline, unsigned count) {
  jpeg_entropy *entropy = &baseline->entropy;
  if (!baseline->restart.is_missing_data) {
    baseline->restart.is_missing_data = true;
    WARNMS(baseline->image, JWRN_HIT_MARKER);
    jpeg_entropy_read_past_end(entropy, baseline->blocks, baseline->lasts);
    return true;
  }
  memset(baseline->blocks, 0, count * entropy->blocks_per_mcu * sizeof *baseline->blocks);
  memset(baseline->lasts, 0, count * entropy->blocks_per_mcu);
  return false;
}

/// Reads the rest of a row of MCUs; returns false if more input is needed.
static bool read_mcu_row(jpeg_baseline *baseline) {
  jpeg_entropy *entropy = &baseline->entropy;
  while (baseline->mcu < baseline->mcus_per_row) {
    if (!jpeg_restart_pass(&baseline->restart, entropy, baseline->image)) return false;
    unsigned wanted = minimum(batch_mcus, baseline->mcus_per_row - baseline->mcu);
    wanted = minimum(wanted, jpeg_restart_mcus_left(&baseline->restart));
    unsigned count = 0;
    bool has_input = baseline->image->src->bytes_in_buffer > 0;
    if (has_input && jpeg_entropy_bytes_left(entropy) < min_batch_bytes) {
      jpeg_entropy_fill(entropy, baseline->image);
    }
    if (!baseline->restart.is_missing_data) {
      count = jpeg_entropy_read(entropy, wanted, baseline->blocks, baseline->lasts);
    }
    if (count == 0) {
      if (!baseline->restart.is_missing_data && jpeg_entropy_fill(entropy, baseline->image)) continue;
      if (entropy->segment.marker == 0) return false;
      count = fill_missing(baseline, wanted) ? 1 : wanted;
    }
    if (entropy->has_bad_code) {
      entropy->has_bad_code = false;
      WARNMS(baseline->image, JWRN_HUFF_BAD_CODE);
    }
    transform(baseline, baseline->mcu, count);
    baseline->mcu += count;
    jpeg_restart_count(&baseline->restart, count);
  }
  return true;
}

static void write_row(jpeg_baseline *baseline, uint8_t *to) {
  size_t width = baseline->image->output_width;
  const uint8_t *rows[3];
  for (unsigned index = 0; index < baseline->components; index++) {
    const jpeg_plane *plane = &baseline->planes[index];
    rows[index] = plane->samples + baseline->row_of_mcu * plane->bytes_per_row;
    if (!baseline->wide || index == 0) continue;
    uint8_t *wide = baseline->wide + (index - 1) * 2 * plane->bytes_per_row;
    jpeg_colors_widen(rows[index], baseline->narrow_width, baseline->widens_smoothly, wide);
    rows[index] = wide;
  }
  if (baseline->components == 1) {
    memcpy(to, rows[0], width);
  } else {
    jpeg_colors_convert(rows[0], rows[1], rows[2], to, width);
  }
}

codec_result jpeg_baseline_read_rows(
    jpeg_baseline *baseline, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count) {
  for (; *count < capacity && jpeg_baseline_rows_left(baseline) > 0; ++*count) {
    if (baseline->row_of_mcu == baseline->rows_per_mcu) {
      if (!read_mcu_row(baseline)) return codec_needs_input;
      baseline->mcu = 0;
      baseline->mcu_row++;
      baseline->row_of_mcu = 0;
    }
    write_row(baseline, rows + *count * bytes_per_row);
    baseline->row_of_mcu++;
    baseline->row++;
  }
  return codec_done;
}

uint32_t jpeg_baseline_rows_left(const jpeg_baseline *baseline) {
  return baseline->image->output_height - baseline->row;
}

uint32_t jpeg_baseline_mcu_rows(const jpeg_baseline *baseline) {
  return baseline->mcu_row;
}
