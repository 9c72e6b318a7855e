#include "plugin/executor/node.hpp"

#include "plugin/executor/result_cache.hpp"
#include "plugin/memory/device_spec.hpp"

namespace lowtide::executor {

Bytes ValueSpec::bytesOn(std::string_view deviceId) const {
    Bytes bytes = 0;
    for (const Bytes tensor : tensors) {
        bytes += deviceId == kHostDevice ? tensor : alignUp(tensor, memory::kSlotAlignment);
    }
    return bytes;
}

}  // namespace lowtide::executor
