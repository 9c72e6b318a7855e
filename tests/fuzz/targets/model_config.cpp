#include "plugin/base/json.hpp"
#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "tests/fuzz/checkpoint_guarantees.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::model_config_target {

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Json json;
    if (!takes({ErrorKind::Corrupt},
               [&] { json = parseJson(text, "config.json", {.readPythonNumbers = true}); })) {
        return false;
    }
    const bool isUNet = checkUNetConfig(json);
    return checkAutoencoderConfig(json) || isUNet;
}

[[maybe_unused]] const bool isEntered = enterTarget("model_config", runInput);

}  // namespace lowtide::fuzz::model_config_target
