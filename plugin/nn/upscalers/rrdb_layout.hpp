#pragma once
// What an RRDBNet file states about its network: how it names the layers, and their sizes.

#include "plugin/base/message.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::models {

inline constexpr int64_t kRrdbImageChannels = 3;

/// Names of the layers in one of the three ways in which files name them.
struct RrdbNames {
    std::string input;       ///< "model.0", "conv_first"
    std::string body;        ///< "model.1.sub.", "RRDB_trunk.", "body.": before a block's number
    std::string dense;       ///< ".RDB", ".rdb": before the number of a part of a block
    std::string convEnding;  ///< ".0" or nothing: behind a convolution of a part
    std::string bodyOutput;  ///< "model.1.sub.23", "trunk_conv", "conv_body"
    std::vector<std::string> up;  ///< "model.3", "upconv1", "conv_up1"; each doubles the sides
    std::string detail;           ///< "model.8", "HRconv", "conv_hr"
    std::string output;           ///< "model.10", "conv_last"
};

/// Everything that shapes determine of an RRDBNet.
struct RrdbConfig {
    RrdbNames names;
    int64_t width = 0;      ///< channels between the blocks
    int64_t growth = 0;     ///< channels that each convolution of a dense block adds
    int64_t blocks = 0;     ///< of three dense blocks each
    int64_t unshuffle = 1;  ///< squares of so many pixels a side become channels of the input

    /// Pixels of the result for one of the image, along a side.
    [[nodiscard]] int64_t scale() const;
    /// "an RRDBNet of 23 blocks, 64 channels and scale 4".
    [[nodiscard]] Message text() const;
};

/// Whether the tensors are named as those of an RRDBNet, in whatever way.
[[nodiscard]] bool isRrdb(const WeightMap& weights);

/// Infers the settings. Error{Corrupt} and Error{Unsupported} name the file and the tensor whose
/// shape is none of an RRDBNet.
[[nodiscard]] RrdbConfig readRrdbConfig(const WeightMap& weights);

}  // namespace lowtide::models
