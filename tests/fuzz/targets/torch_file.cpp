#include "plugin/files/zip_directory.hpp"
#include "tests/fuzz/checkpoint_guarantees.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::fuzz::torch_file_target {

namespace {

using namespace files;

/// Files lie inside the archive and apart from each other.
void checkDirectory(const ZipDirectory& directory, Bytes size) {
    std::vector<std::pair<Bytes, Bytes>> ranges;
    for (const auto& [name, entry] : directory) {
        require(!name.empty() && name.front() != '/', "a name leads nowhere else");
        ranges.emplace_back(entry.offset, entry.bytes);
    }
    std::sort(ranges.begin(), ranges.end());
    Bytes covered = 0;
    for (const auto& [offset, bytes] : ranges) {
        require(offset >= covered && bytes >= 0 && bytes <= size - offset,
                "files lie inside and apart");
        covered = offset + bytes;
    }
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const MemoryBytes archive(bytes, "m.ckpt");
    (void)looksLikeZip(archive);
    ZipDirectory directory;
    (void)takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                [&] { directory = readZipDirectory(archive); });
    checkDirectory(directory, archive.size());
    return readTorchFile(bytes);  // a file of PyTorch before 1.6 is no archive
}

[[maybe_unused]] const bool isEntered = enterTarget("torch_file", runInput);

}  // namespace lowtide::fuzz::torch_file_target
