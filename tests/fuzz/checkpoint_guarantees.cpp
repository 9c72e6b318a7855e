#include "tests/fuzz/checkpoint_guarantees.hpp"

#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "tests/fuzz/guarantees.hpp"

#include <cmath>

namespace lowtide::fuzz {

namespace {

using namespace files;
using namespace models;

constexpr int64_t kMostParts = 1 << 22;  ///< no network that is built has more

/// Wide enough for any sum of products of sizes that fit a file.
using Wide = __int128;

/// Bytes from the first to the last element.
Wide reachOf(const TorchTensor& tensor) {
    if (tensor.strides.empty() || tensor.info.bytes == 0) {
        return tensor.info.bytes;
    }
    require(tensor.strides.size() == tensor.info.shape.size(), "each axis has a stride");
    Wide last = 0;
    for (size_t i = 0; i < tensor.strides.size(); ++i) {
        last += Wide(tensor.info.shape[i] - 1) * tensor.strides[i];
    }
    return (last + 1) * sizeOf(tensor.info.type);
}

void checkTensor(const TorchTensor& tensor, Bytes fileBytes) {
    const auto elements = elementCount(tensor.info.shape);
    require(elements && *elements * sizeOf(tensor.info.type) == tensor.info.bytes,
            "a tensor has the bytes of its shape");
    const Wide reach = reachOf(tensor);
    require(tensor.info.offset >= 0 && reach >= 0 && tensor.info.offset + reach <= fileBytes,
            "a tensor lies inside the file");
}

}  // namespace

bool checkUNetConfig(const Json& settings) {
    UNet2DConfig config;
    if (!takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
               [&] { config = readUNet2DConfig(settings, "unet/config.json"); })) {
        return false;
    }
    require(!config.levels.empty() && config.groups >= 1 && config.timeWidth >= 1 &&
                config.inChannels >= 1 && config.outChannels >= 1 && config.guidanceWidth >= 0,
            "a UNet has levels and widths");
    require(config.addedWidth >= 0 && (config.addedWidth > 0) == (config.addedNumberWidth > 0),
            "what is added to the time has both widths or none");
    require(std::isfinite(config.epsilon) && std::isfinite(config.frequencyShift),
            "settings are numbers");
    int64_t parts = 0;
    for (const UNetLevel& level : config.levels) {
        require(level.channels >= 1 && level.heads >= 1 && level.layers >= 1 &&
                    level.contextWidth == config.contextWidth(),
                "a level has what it needs");
        const auto count = static_cast<size_t>(level.layers);
        require(level.downTransformers.size() == count && level.upTransformers.size() == count + 1,
                "every unit has a number of layers");
        require(level.channels % config.groups == 0 && level.channels % level.heads == 0,
                "groups and heads divide channels");
        for (const auto* way : {&level.downTransformers, &level.upTransformers}) {
            for (const int64_t layers : *way) {
                require(layers >= 1, "a transformer has layers");
                parts += layers;
            }
        }
    }
    require(config.midTransformer >= 0 && parts <= kMostParts, "a network ends");
    return true;
}

bool checkAutoencoderConfig(const Json& settings) {
    AutoencoderConfig config;
    if (!takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
               [&] { config = readAutoencoderConfig(settings, "vae/config.json"); })) {
        return false;
    }
    require(!config.channels.empty() && config.downsampling() >= 1 && config.groups >= 1 &&
                config.layersPerBlock >= 1 && config.layersPerBlock <= kMostParts,
            "an autoencoder has levels");
    require(config.scalingFactor > 0 && std::isfinite(config.scalingFactor),
            "latents can be scaled");
    const auto latent = static_cast<size_t>(config.latentChannels);
    require(config.latentsMean.size() == config.latentsDeviation.size() &&
                (config.latentsMean.empty() || config.latentsMean.size() == latent),
            "every channel has a mean and a deviation, or none has");
    for (const double deviation : config.latentsDeviation) {
        require(deviation > 0 && std::isfinite(deviation), "latents can be brought back");
    }
    for (const int64_t channels : config.channels) {
        require(channels >= 1 && channels % config.groups == 0, "groups divide channels");
    }
    return true;
}

bool readTorchFile(std::span<const std::byte> file) {
    TorchHeader header;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { header = readTorchHeader(MemoryBytes(file, "m.ckpt")); });
    for (const auto& [name, tensor] : header.tensors) {
        require(isValidUtf8(name), "names are UTF-8");
        checkTensor(tensor, static_cast<Bytes>(file.size()));
    }
    for (const auto& [key, text] : header.metadata) {
        require(isValidUtf8(key) && isValidUtf8(text), "metadata is UTF-8");
    }
    return isTaken;
}

}  // namespace lowtide::fuzz
