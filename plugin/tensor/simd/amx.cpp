#include "plugin/tensor/simd/amx.hpp"

#include "plugin/tensor/simd/tile_loops.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lowtide::tensor::simd {

namespace {

/// The processor's own. Each method is a few instructions of fixed registers.
struct AmxTiles {
    static void open() {
        struct Configuration {
            uint8_t palette = 1;
            uint8_t startRow = 0;
            uint8_t reserved[14] = {};
            uint16_t rowBytes[16] = {};
            uint8_t rows[16] = {};
        } configuration;

        constexpr int kTiles = 8;
        for (int i = 0; i < kTiles; ++i) {
            configuration.rowBytes[i] = kTileDepth * sizeof(uint16_t);
            configuration.rows[i] = kTile;
        }
        _tile_loadconfig(&configuration);
    }

    static void close() { _tile_release(); }

    static void loadSums(const float* c, int64_t step) {
        const int64_t bytes = step * static_cast<int64_t>(sizeof(float));
        _tile_loadd(0, c, bytes);
        _tile_loadd(1, c + kTile, bytes);
        _tile_loadd(2, c + kTile * step, bytes);
        _tile_loadd(3, c + kTile * step + kTile, bytes);
    }

    static void storeSums(float* c, int64_t step) {
        const int64_t bytes = step * static_cast<int64_t>(sizeof(float));
        _tile_stored(0, c, bytes);
        _tile_stored(1, c + kTile, bytes);
        _tile_stored(2, c + kTile * step, bytes);
        _tile_stored(3, c + kTile * step + kTile, bytes);
    }

    static void loadWeights(const uint16_t* tiles) {
        _tile_loadd(6, tiles, kRowBytes);
        _tile_loadd(7, tiles + kTileNumbers, kRowBytes);
    }

    static void multiplyRows(const uint16_t* tiles) {
        _tile_loadd(4, tiles, kRowBytes);
        _tile_loadd(5, tiles + kTileNumbers, kRowBytes);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }

    static constexpr int64_t kRowBytes = kTileDepth * sizeof(uint16_t);
};

/// Linux lets a process use the large state of tiles when it asks: arch_prctl(2).
bool isPermitted() {
    constexpr int kRequestPermission = 0x1023;
    constexpr int kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool hasTiles() {
    constexpr unsigned kLeaf = 7;
    constexpr unsigned kBf16 = 1U << 22U, kTilesBit = 1U << 24U;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(kLeaf, 0, &a, &b, &c, &d) != 0 && (d & kBf16) != 0 &&
           (d & kTilesBit) != 0;
}

}  // namespace

bool canUseTiles() {
    static const bool can = hasTiles() && isPermitted();
    return can;
}

const LinearPieces& amxLinearPieces() {
    return kTiledPieces<AmxTiles>;
}

}  // namespace lowtide::tensor::simd
