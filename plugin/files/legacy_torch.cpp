#include "plugin/files/legacy_torch.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/byte_cursor.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::files {

namespace {

/// Protocol 2, and 0x1950a86a20f9469cfc6c as a number of ten bytes.
constexpr std::array<uint8_t, 15> kMagic = {
    0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e};
constexpr int64_t kProtocol = 1001;
/// Pickles are looked for in so much of the file first, and then in the most that they may take.
constexpr std::array<Bytes, 2> kPickleBytes = {Bytes{2} * kMiB, Bytes{64} * kMiB};
constexpr Bytes kCountBytes = 8;

std::vector<std::byte> firstBytes(const ReadableBytes& bytes, Bytes count) {
    std::vector<std::byte> read(static_cast<size_t>(std::min(count, bytes.size())));
    bytes.read(read, 0);
    return read;
}

class LegacyReader {
public:
    LegacyReader(const ReadableBytes& bytes, std::span<const std::string_view> allowed)
        : bytes_(bytes), subject_(quotedName(bytes.name())), allowed_(allowed) {}

    LegacyTorch read() {
        readPickles();
        placeStorages();
        return std::move(torch_);
    }

private:
    void readPickles() {
        for (const Bytes most : kPickleBytes) {
            const bool isAll = most >= bytes_.size() || most == kPickleBytes.back();
            try {
                readPickles(firstBytes(bytes_, most));
                return;
            } catch (const Error& error) {
                if (isAll || error.kind() != ErrorKind::Corrupt) {
                    throw;
                }
            }
        }
    }

    /// After the magic number: version, facts of the machine, the value, keys of its storages.
    void readPickles(const std::vector<std::byte>& start) {
        position_ = kMagic.size();
        const Pickle version = next(start);
        const PickleValue& number = version.values[version.root];
        if (number.kind != PickleKind::Integer || number.integer != kProtocol) {
            throw Error(ErrorKind::Unsupported,
                        subject_ + ": is of another version of PyTorch's old format than 1001",
                        "load and save it with a newer PyTorch");
        }
        checkByteOrder(next(start));
        torch_.pickle = next(start);
        const Pickle keys = next(start);
        const PickleValue& list = keys.values[keys.root];
        keys_.clear();
        for (const uint32_t item : list.items) {
            const PickleValue& key = keys.values[item];
            if (list.kind != PickleKind::List || key.kind != PickleKind::Text) {
                refuseDamaged(subject_, "the keys of its storages are no list of texts");
            }
            keys_.push_back(key.text);
        }
    }

    Pickle next(const std::vector<std::byte>& start) {
        Pickle pickle = readPickle(
            std::span(start).subspan(static_cast<size_t>(position_)), subject_, allowed_);
        position_ += static_cast<Bytes>(pickle.bytes);
        return pickle;
    }

    void checkByteOrder(const Pickle& machine) const {
        const std::vector<uint32_t>& items = machine.values[machine.root].items;
        for (size_t i = 0; i + 1 < items.size(); i += 2) {
            const PickleValue& value = machine.values[items[i + 1]];
            if (machine.values[items[i]].text == "little_endian" && value.integer == 0) {
                throw Error(ErrorKind::Unsupported,
                            subject_ + ": was saved on a big-endian machine, which is not read",
                            "save the checkpoint on a little-endian machine");
            }
        }
    }

    /// The pickle states each storage with its type, wherever a tensor uses it.
    std::map<std::string, DType, std::less<>> statedTypes() const {
        std::map<std::string, DType, std::less<>> types;
        const auto& values = torch_.pickle.values;
        for (const PickleValue& value : values) {
            if (value.kind != PickleKind::Persistent) {
                continue;
            }
            const std::vector<uint32_t>& id = values[value.items.front()].items;
            const auto type = id.size() > 2 ? torchStorageType(values[id[1]].text) : std::nullopt;
            if (type) {
                types.emplace(values[id[2]].text, *type);
            }
        }
        return types;
    }

    /// Each: how many elements it has, then these.
    void placeStorages() {
        const auto types = statedTypes();
        for (const std::string& key : keys_) {
            const auto type = types.find(key);
            std::array<std::byte, kCountBytes> count{};
            bytes_.read(count, position_);
            const int64_t elements = ByteCursor(count, subject_).signedNumber(kCountBytes);
            position_ += kCountBytes;
            const Bytes left = bytes_.size() - position_;
            if (type == types.end() || elements < 0 || elements > left / sizeOf(type->second)) {
                refuseDamaged(subject_,
                              "its storage " + quotedName(key) + " of " + std::to_string(elements) +
                                  " elements does not lie in the file");
            }
            const Bytes bytes = elements * sizeOf(type->second);
            torch_.storages.emplace(key, StoragePlace{.offset = position_, .bytes = bytes});
            position_ += bytes;
        }
    }

    const ReadableBytes& bytes_;
    std::string subject_;
    std::span<const std::string_view> allowed_;
    Bytes position_ = 0;
    std::vector<std::string> keys_;
    LegacyTorch torch_;
};

}  // namespace

bool looksLikeLegacyTorch(const ReadableBytes& bytes) {
    const std::vector<std::byte> start = firstBytes(bytes, kMagic.size());
    return std::equal(
        start.begin(), start.end(), kMagic.begin(), kMagic.end(), [](std::byte a, uint8_t b) {
            return std::to_integer<uint8_t>(a) == b;
        });
}

LegacyTorch readLegacyTorch(const ReadableBytes& bytes, std::span<const std::string_view> allowed) {
    return LegacyReader(bytes, allowed).read();
}

}  // namespace lowtide::files
