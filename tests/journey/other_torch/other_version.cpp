// Loaded before everything else, it makes the process's LibTorch report that it is another version.
#include <map>
#include <string>

namespace caffe2 {

__attribute__((visibility("default"))) const std::map<std::string, std::string>& GetBuildOptions() {
    static const std::map<std::string, std::string> kOptions = {{"TORCH_VERSION", "2.10.1"}};
    return kOptions;
}

}  // namespace caffe2
