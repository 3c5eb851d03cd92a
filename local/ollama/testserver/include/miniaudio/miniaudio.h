/* A stand-in for the miniaudio header, which the Ollama Go module leaves out.
 *
 * The test server never decodes sound, so every decoder call fails. Only what
 * mtmd-helper.cpp names is here. */
#ifndef LORE_MINIAUDIO_STUB_H
#define LORE_MINIAUDIO_STUB_H

#include <stddef.h>
#include <stdint.h>

typedef int ma_result;
typedef uint64_t ma_uint64;

enum { MA_SUCCESS = 0, MA_NOT_IMPLEMENTED = -29 };
enum { ma_format_f32 = 5 };

typedef struct { int format, channels, rate; } ma_decoder_config;
typedef struct { int unused; } ma_decoder;

static inline ma_decoder_config ma_decoder_config_init(int format, int channels, int rate) {
    ma_decoder_config config = { format, channels, rate };
    return config;
}

static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) {
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) {
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) {
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_uninit(ma_decoder *) {
    return MA_SUCCESS;
}

#endif
