#include "plugin/files/pickle.hpp"

#include "tests/fuzz/checkpoint_guarantees.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/files/zip_bytes.hpp"

#include <algorithm>
#include <string>

namespace lowtide::fuzz::pickle_target {

namespace {

using namespace files;

constexpr std::string_view kAllowed[] = {
    "collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch FloatStorage"};

/// Values name values that are there, and nothing but what is allowed.
void checkPickle(const Pickle& pickle) {
    require(pickle.root < pickle.values.size(), "the root is a value");
    for (const PickleValue& value : pickle.values) {
        for (const uint32_t item : value.items) {
            require(item < pickle.values.size(), "an item is a value");
        }
        const bool names = value.kind == PickleKind::Global || value.kind == PickleKind::Made;
        const bool isAllowed =
            std::find(std::begin(kAllowed), std::end(kAllowed), value.text) != std::end(kAllowed);
        require(!names || isAllowed, "a global is one of those allowed");
    }
}

/// A file of torch.save with this pickle and storages of 24 and 8 bytes.
std::string archiveOf(std::string_view pickle) {
    static const testing::ZipParts storages =
        testing::zipParts({{.name = "m/data/0", .content = std::string(24, 'x')},
                           {.name = "m/data/1", .content = std::string(8, 'y')}});
    const testing::ZipFile own{.name = "m/data.pkl", .content = std::string(pickle)};
    const std::string files = storages.files + testing::zipLocal(own);
    const std::string directory =
        storages.directory + testing::zipEntry(own, storages.files.size());
    return files + directory + testing::zipEnd(3, directory.size(), files.size());
}

}  // namespace

/// The input is the pickle of an archive that is right.
bool runInput(std::span<const std::byte> bytes) {
    Pickle pickle;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { pickle = readPickle(bytes, "\"m.ckpt\"", kAllowed); });
    if (isTaken) {
        checkPickle(pickle);
    }
    const std::string archive =
        archiveOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return readTorchFile(std::as_bytes(std::span(archive)));
}

[[maybe_unused]] const bool isEntered = enterTarget("pickle", runInput);

}  // namespace lowtide::fuzz::pickle_target
