#include "ui/bridge/model_hashing.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr size_t kAutoV2Digits = 10;
constexpr Bytes kHashPiece = 4 * kMiB;
constexpr double kProgressStep = 0.01;

}  // namespace

HashedModel hashModel(const std::string& path,
                      const StopToken& stop,
                      const std::function<void(double)>& progress) {
    try {
        const files::InputFile file(path);
        const Bytes size = file.identity().size;
        std::vector<std::byte> piece(static_cast<size_t>(std::min(kHashPiece, size)));
        Hasher hasher;
        double told = 0;
        for (Bytes done = 0; done < size;) {
            const auto count = static_cast<size_t>(std::min(kHashPiece, size - done));
            const std::span<std::byte> part(piece.data(), count);
            file.read(part, done, stop);
            hasher.addRaw(part);
            done += static_cast<Bytes>(count);
            const double share = static_cast<double>(done) / static_cast<double>(size);
            if (share >= told + kProgressStep) {
                told = share;
                progress(share);
            }
        }
        if (!file.isUnchanged()) {
            return {.sha256 = {},
                    .problem = file.name() + " changed while it was read; hash it again"};
        }
        return {.sha256 = hasher.hexDigest(), .problem = {}, .identity = file.identity()};
    } catch (const Error& error) {
        return {.sha256 = {},
                .problem = error.kind() == ErrorKind::Cancelled ? "" : error.message().str()};
    }
}

std::string autoV2(const std::string& sha256) {
    return sha256.substr(0, kAutoV2Digits);
}

}  // namespace lowtide::ui
