#include "plugin/files/torch_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/pickle.hpp"
#include "plugin/files/readable_bytes.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/files/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
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
        locateStorages();
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
            throw Error(
                ErrorKind::Unsupported,
                message("{}: is of another version of PyTorch's old format than 1001", subject_),
                message("load and save it with a newer PyTorch"));
        }
        checkByteOrder(next(start));
        torch_.pickle = next(start);
        const Pickle keys = next(start);
        const PickleValue& list = keys.values[keys.root];
        keys_.clear();
        for (const uint32_t item : list.items) {
            const PickleValue& key = keys.values[item];
            if (list.kind != PickleKind::List || key.kind != PickleKind::Text) {
                refuseDamaged(subject_, message("the keys of its storages are no list of texts"));
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
                throw Error(
                    ErrorKind::Unsupported,
                    message("{}: was saved on a big-endian machine, which is not read", subject_),
                    message("save the checkpoint on a little-endian machine"));
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
    void locateStorages() {
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
                              message("its storage {} of {} elements does not lie in the file",
                                      quotedName(key),
                                      elements));
            }
            const Bytes bytes = elements * sizeOf(type->second);
            torch_.storages.emplace(key, StorageRange{.offset = position_, .bytes = bytes});
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

namespace {

constexpr Bytes kLargestPickle = 64 * kMiB;
constexpr size_t kLongestName = 4096;
constexpr size_t kMostDimensions = 16;
constexpr std::string_view kPickleName = "/data.pkl";
constexpr std::string_view kWrappers[] = {"state_dict", "params_ema", "params", "string_to_param"};
/// Dicts of an IP-Adapter, which has both.
constexpr std::string_view kAdapterDicts[] = {"image_proj", "ip_adapter"};

constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2";
/// The same before PyTorch 0.4: storage, offset, sizes, strides.
constexpr std::string_view kRebuildFirst = "torch._utils _rebuild_tensor";
constexpr std::string_view kRebuildParameter = "torch._utils _rebuild_parameter";
/// How embeddings were saved before PyTorch 1.12: a module whose state has the parameters.
constexpr std::string_view kParameterDict = "torch.nn.modules.container ParameterDict";

/// What published checkpoints keep in addition to their weights (training state). Never run, never
/// looked at: a value of these is carried as "other".
constexpr std::string_view kExtraNames[] = {
    "__builtin__ set",
    "_codecs encode",
    "argparse Namespace",
    "builtins set",
    "numpy dtype",
    "numpy ndarray",
    "numpy._core.multiarray _reconstruct",
    "numpy._core.multiarray scalar",
    "numpy.core.multiarray _reconstruct",
    "numpy.core.multiarray scalar",
    "pathlib PosixPath",
    "pathlib WindowsPath",
    "pytorch_lightning.callbacks.model_checkpoint ModelCheckpoint",
};

std::span<const std::string_view> allowedGlobals() {
    static const std::vector<std::string_view> globals = [] {
        std::vector<std::string_view> all = {"collections OrderedDict",
                                             kRebuildTensor,
                                             kRebuildFirst,
                                             kRebuildParameter,
                                             kParameterDict};
        all.insert(all.end(), std::begin(kExtraNames), std::end(kExtraNames));
        for (const auto& [name, type] : kTorchStorages) {
            all.push_back(name);
        }
        return all;
    }();
    return globals;
}

/// Elements from the first to the last of a tensor, both counted; empty on overflow.
std::optional<int64_t> extentOf(const Shape& shape, const Shape& strides) {
    int64_t last = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
        int64_t step = 0;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
            __builtin_add_overflow(last, step, &last)) {
            return std::nullopt;
        }
    }
    if (last == std::numeric_limits<int64_t>::max()) {
        return std::nullopt;
    }
    return last + 1;
}

bool isRowMajor(const Shape& shape, const Shape& strides) {
    int64_t wanted = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != wanted) {
            return false;
        }
        wanted *= shape[i];
    }
    return true;
}

/// A storage that the pickle names, or the part of one that it is a view of.
struct Storage {
    DType type = DType::F32;
    Bytes offset = 0;
    int64_t elements = 0;
};

/// A file of PyTorch since 1.6: an archive with a pickle and a file for each storage.
class TorchArchive {
public:
    explicit TorchArchive(const ReadableBytes& bytes)
        : bytes_(bytes), subject_(quotedName(bytes.name())), directory_(readZipDirectory(bytes)) {
        findFolder();
        checkByteOrder();
    }

    [[nodiscard]] Pickle pickle() const {
        const std::string text = contentOf(folder_ + "data.pkl");
        return readPickle(
            std::as_bytes(std::span(text)), subject_ + ", data.pkl", allowedGlobals());
    }

    [[nodiscard]] StorageRanges storages() const {
        StorageRanges ranges;
        const std::string folder = folder_ + "data/";
        for (auto each = directory_.lower_bound(folder);
             each != directory_.end() && each->first.starts_with(folder);
             ++each) {
            std::string key = each->first.substr(folder.size());
            if (key.find('/') == key.npos) {
                ranges.emplace(std::move(key),
                               StorageRange{each->second.offset, each->second.bytes});
            }
        }
        return ranges;
    }

private:
    /// Everything lies in one folder, whose name is that under which the file was saved.
    void findFolder() {
        for (const auto& [name, entry] : directory_) {
            const size_t slash = name.find('/');
            if (slash == name.npos || std::string_view(name).substr(slash) != kPickleName) {
                continue;
            }
            if (!folder_.empty()) {
                refuseDamaged(subject_,
                              message("holds two pickles, {} is the second", quotedName(name)));
            }
            folder_ = name.substr(0, slash + 1);
        }
        if (folder_.empty()) {
            throw Error(
                ErrorKind::Unsupported,
                message("{}: is a zip archive without data.pkl, which torch.save writes", subject_),
                message("choose a checkpoint"));
        }
    }

    std::string contentOf(const std::string& name) const {
        const ZipEntry& entry = directory_.at(name);
        if (entry.bytes > kLargestPickle) {
            refuseDamaged(
                message("{}, {}", subject_, quotedName(name)),
                message("is {} bytes long, at most {} are read", entry.bytes, kLargestPickle));
        }
        std::string content(static_cast<size_t>(entry.bytes), '\0');
        bytes_.read(std::as_writable_bytes(std::span(content)), entry.offset);
        return content;
    }

    void checkByteOrder() const {
        if (directory_.contains(folder_ + "byteorder")) {
            const std::string order = contentOf(folder_ + "byteorder");
            if (order != "little") {
                throw Error(ErrorKind::Unsupported,
                            message("{}: the byte order is {}, only \"little\" is read",
                                    subject_,
                                    quotedName(order)),
                            message("save the checkpoint on a little-endian machine"));
            }
        }
    }

    const ReadableBytes& bytes_;
    std::string subject_;
    ZipDirectory directory_;
    std::string folder_;
};

class TorchReader {
public:
    TorchReader(const std::string& name, Pickle pickle, StorageRanges storages)
        : subject_(quotedName(name)), pickle_(std::move(pickle)), storages_(std::move(storages)) {}

    TorchHeader read() {
        const PickleValue& root = at(pickle_.root);
        if (root.kind != PickleKind::Dict) {
            refuseDamaged(subject_, message("its pickle is no dict of tensors"));
        }
        TorchHeader header;
        addMetadata(root, header);
        const PickleValue* weights = &root;
        for (const std::string_view wrapper : kWrappers) {
            const PickleValue* inner = dictIn(memberOf(root, wrapper));
            if (inner && inner->kind == PickleKind::Dict) {
                weights = inner;
                break;
            }
        }
        addTensors(*weights, header, "");
        for (const std::string_view part : kAdapterDicts) {
            const PickleValue* inner = memberOf(root, part);
            if (inner && inner->kind == PickleKind::Dict) {
                addTensors(*inner, header, std::string(part) + ".");
            }
        }
        return header;
    }

private:
    const PickleValue& at(uint32_t found) const { return pickle_.values[found]; }

    const PickleValue* memberOf(const PickleValue& dict, std::string_view key) const {
        for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const PickleValue& name = at(dict.items[i]);
            if (name.kind == PickleKind::Text && name.text == key) {
                return &at(dict.items[i + 1]);
            }
        }
        return nullptr;
    }

    /// The parameters of a ParameterDict; any other value itself.
    const PickleValue* dictIn(const PickleValue* value) const {
        const bool isModule = value && value->kind == PickleKind::Made &&
                              value->text == kParameterDict && value->items.size() > 1;
        if (!isModule) {
            return value;
        }
        const PickleValue& state = at(value->items[1]);
        return state.kind == PickleKind::Dict ? memberOf(state, "_parameters") : nullptr;
    }

    /// Texts of Python 2 may be any bytes.
    static bool isReadableText(const PickleValue& value) {
        return value.kind == PickleKind::Text && value.text.size() <= kLongestName &&
               isValidUtf8(value.text);
    }

    void addMetadata(const PickleValue& root, TorchHeader& header) const {
        for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
            const PickleValue& key = at(root.items[i]);
            const PickleValue& value = at(root.items[i + 1]);
            if (!isReadableText(key)) {
                continue;
            }
            if (value.kind == PickleKind::Integer) {
                header.metadata.emplace(key.text, std::to_string(value.integer));
            } else if (isReadableText(value)) {
                header.metadata.emplace(key.text, value.text);
            }
        }
    }

    void addTensors(const PickleValue& dict, TorchHeader& header, const std::string& prefix) {
        for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const PickleValue& key = at(dict.items[i]);
            const PickleValue& value = at(dict.items[i + 1]);
            if (value.kind != PickleKind::Made || !isTensor(value)) {
                continue;
            }
            if (!isReadableText(key)) {
                refuseDamaged(subject_,
                              message("has a tensor whose name is no text of at most 4096 bytes"));
            }
            const std::string name = prefix + key.text;
            const Message subject = message("{}, tensor {}", subject_, quotedName(name));
            if (!header.tensors.emplace(name, tensorOf(value, subject)).second) {
                refuseDamaged(subject, message("is there twice"));
            }
        }
    }

    static bool isTensor(const PickleValue& value) {
        return isRebuilt(value) || value.text == kRebuildParameter;
    }

    static bool isRebuilt(const PickleValue& value) {
        return value.text == kRebuildTensor || value.text == kRebuildFirst;
    }

    /// Arguments of a call: of at least `least`.
    const std::vector<uint32_t>& argumentsOf(const PickleValue& made,
                                             size_t least,
                                             const Message& subject) const {
        const std::vector<uint32_t>& arguments = at(made.items.front()).items;
        if (arguments.size() < least) {
            refuseDamaged(subject, message("is made from {} values", arguments.size()));
        }
        return arguments;
    }

    int64_t integerOf(uint32_t found, const Message& subject, const Message& what) const {
        const PickleValue& value = at(found);
        if (value.kind != PickleKind::Integer || value.integer < 0) {
            refuseDamaged(subject, message("{} is no integer from 0", what));
        }
        return value.integer;
    }

    Shape sizesOf(uint32_t found, const Message& subject, const Message& what) const {
        const PickleValue& tuple = at(found);
        if (tuple.kind != PickleKind::Tuple || tuple.items.size() > kMostDimensions) {
            refuseDamaged(subject, message("{} is no tuple of at most 16 integers", what));
        }
        Shape sizes;
        for (const uint32_t item : tuple.items) {
            sizes.push_back(integerOf(item, subject, what));
        }
        return sizes;
    }

    TorchTensor tensorOf(const PickleValue& made, const Message& subject) {
        const PickleValue* value = &made;
        if (value->text == kRebuildParameter) {
            value = &at(argumentsOf(*value, 1, subject).front());
            if (value->kind != PickleKind::Made || !isRebuilt(*value)) {
                refuseDamaged(subject, message("is a parameter of what is no tensor"));
            }
        }
        // storage, offset, sizes, strides; what follows concerns gradients.
        const std::vector<uint32_t>& arguments = argumentsOf(*value, 4, subject);
        const Storage storage = storageOf(at(arguments[0]), subject);
        const int64_t first =
            integerOf(arguments[1], subject, message("its offset in the storage"));
        TorchTensor tensor;
        tensor.info.type = storage.type;
        tensor.info.shape = sizesOf(arguments[2], subject, message("its shape"));
        tensor.strides = sizesOf(arguments[3], subject, message("its strides"));
        found(tensor, storage, first, subject);
        return tensor;
    }

    static void found(TorchTensor& tensor,
                      const Storage& storage,
                      int64_t first,
                      const Message& subject) {
        const Shape& shape = tensor.info.shape;
        const std::optional<Bytes> bytes = byteCount(tensor.info.type, shape);
        if (tensor.strides.size() != shape.size() || !bytes) {
            refuseDamaged(subject,
                          message("shape {} and strides {} do not make a tensor",
                                  toText(shape),
                                  toText(tensor.strides)));
        }
        const std::optional<int64_t> extent =
            *bytes == 0 ? std::optional<int64_t>(0) : extentOf(shape, tensor.strides);
        if (first > storage.elements || !extent || *extent > storage.elements - first) {
            refuseDamaged(subject,
                          message("shape {} and strides {} from element {} reach outside its "
                                  "storage of {} elements",
                                  toText(shape),
                                  toText(tensor.strides),
                                  first,
                                  storage.elements));
        }
        tensor.info.offset = storage.offset + first * sizeOf(storage.type);
        tensor.info.bytes = *bytes;
        if (*bytes == 0 || isRowMajor(shape, tensor.strides)) {
            tensor.strides.clear();
        }
    }

    /// ("storage", type, key, device, elements), and in old files what it is a view of.
    Storage storageOf(const PickleValue& persistent, const Message& subject) const {
        constexpr size_t kParts = 5;
        const bool isPersistent = persistent.kind == PickleKind::Persistent;
        const PickleValue* id = isPersistent ? &at(persistent.items.front()) : nullptr;
        if (!id || id->kind != PickleKind::Tuple || id->items.size() < kParts ||
            id->items.size() > kParts + 1 || at(id->items[0]).text != "storage" ||
            at(id->items[2]).kind != PickleKind::Text) {
            refuseDamaged(subject, message("does not name its storage"));
        }
        const PickleValue& typeName = at(id->items[1]);
        const auto type = torchStorageType(typeName.text);
        if (typeName.kind != PickleKind::Global || !type) {
            refuseDamaged(subject,
                          message("has a storage of the type {}", quotedName(typeName.text)));
        }
        Storage storage{.type = *type};
        storage.elements = integerOf(id->items[4], subject, message("the size of its storage"));
        const std::string& key = at(id->items[2]).text;
        const auto found = storages_.find(key);
        if (found == storages_.end()) {
            refuseDamaged(
                subject,
                message("wants the storage {}, which is not in the file", quotedName(key)));
        }
        storage.offset = found->second.offset;
        const Bytes size = sizeOf(storage.type);
        if (storage.elements > found->second.bytes / size ||
            storage.elements * size != found->second.bytes) {
            refuseDamaged(subject,
                          message("its storage {} should have {} {}, the file has {} bytes",
                                  quotedName(key),
                                  storage.elements,
                                  nameOf(storage.type),
                                  found->second.bytes));
        }
        return id->items.size() > kParts ? viewOf(storage, at(id->items[kParts]), subject)
                                         : storage;
    }

    /// `view`: none, or (key, first element, elements).
    Storage viewOf(Storage storage, const PickleValue& view, const Message& subject) const {
        if (view.kind == PickleKind::None) {
            return storage;
        }
        constexpr size_t kParts = 3;
        if (view.kind != PickleKind::Tuple || view.items.size() != kParts) {
            refuseDamaged(subject, message("is a view of what is no storage"));
        }
        const int64_t first = integerOf(view.items[1], subject, message("the offset of its view"));
        const int64_t elements = integerOf(view.items[2], subject, message("the size of its view"));
        if (first > storage.elements || elements > storage.elements - first) {
            refuseDamaged(subject, message("is a view that reaches outside its storage"));
        }
        storage.offset += first * sizeOf(storage.type);
        storage.elements = elements;
        return storage;
    }

    std::string subject_;
    Pickle pickle_;
    StorageRanges storages_;
};

}  // namespace

TorchHeader readTorchHeader(const ReadableBytes& bytes) {
    if (looksLikeLegacyTorch(bytes)) {
        LegacyTorch torch = readLegacyTorch(bytes, allowedGlobals());
        return TorchReader(bytes.name(), std::move(torch.pickle), std::move(torch.storages)).read();
    }
    const TorchArchive archive(bytes);
    return TorchReader(bytes.name(), archive.pickle(), archive.storages()).read();
}

}  // namespace lowtide::files
