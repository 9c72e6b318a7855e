#include "plugin/residency/device/device.hpp"

#include "plugin/base/error.hpp"

#include <new>
#include <vector>

namespace lowtide::residency {

namespace {

class HostStaging final : public Arena {
public:
    explicit HostStaging(Bytes bytes) : bytes_(static_cast<size_t>(bytes)) {}

    [[nodiscard]] std::byte* data() const override { return bytes_.data(); }

    [[nodiscard]] Bytes size() const override { return static_cast<Bytes>(bytes_.size()); }

private:
    mutable std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<Arena> Device::allocateStaging(Bytes bytes) {
    try {
        return std::make_unique<HostStaging>(bytes);
    } catch (const std::bad_alloc&) {
        throw Error(
            ErrorKind::OutOfMemory,
            "the host has no " + formatBytes(bytes) + " for weights on their way to " + info().id,
            "end other programs")
            .withBytesAsked(bytes);
    }
}

}  // namespace lowtide::residency
