#include "plugin/module/cudnn_api.hpp"

#include "plugin/base/error.hpp"
#include "plugin/module/os.hpp"

namespace lowtide::module {

std::string chooseCudnnApi(const std::string& name, const std::string& problem) {
    // Read once by LibTorch: ATen/native/ConvUtils.h, cudnnv8_enabled_check_debug.
    constexpr const char* kDisablesV8 = "TORCH_CUDNN_V8_API_DISABLED";
    if (name != "auto" && name != "v7" && name != "v8") {
        throw Error(ErrorKind::InvalidInput,
                    "there is no cuDNN API \"" + name + "\"",
                    "choose auto, v7 or v8");
    }
    if (name != "auto") {
        setEnvironment(kDisablesV8, name == "v7" ? "1" : "0");
    }
    return problem.empty() ? name : name + ": not applicable here, " + problem;
}

}  // namespace lowtide::module
