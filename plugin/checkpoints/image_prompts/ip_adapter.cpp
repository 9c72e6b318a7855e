#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace lowtide::models {

ComponentDesc imageEncoderComponent() {
    return {.role = std::string(kImageEncoder), .label = "Image encoder"};
}

ComponentDesc imageProjectionComponent() {
    return {.role = std::string(kImageProjection), .label = "Image projection"};
}

IpAdapter::IpAdapter(std::string name, IpAdapterFile file, const ImageEncoderFile& encoder)
    : name_(std::move(name)),
      file_(std::move(file)),
      encoder_(
          encoder.config,
          encoder.weights,
          kImageEncoder,
          file_.projection.isResampler ? ClipVisionState::Penultimate : ClipVisionState::Pooled),
      projection_(file_.projection, file_.projectionWeights, kImageProjection),
      files_(file_.files) {
    files_.insert(files_.end(), encoder.weights.files.begin(), encoder.weights.files.end());
}

std::vector<ComponentDesc> IpAdapter::components() const {
    return {imageEncoderComponent(), imageProjectionComponent()};
}

std::shared_ptr<const memory::ComponentTree> IpAdapter::tree(std::string_view role) const {
    return role == kImageEncoder      ? encoder_.tree()
           : role == kImageProjection ? projection_.tree()
                                      : nullptr;
}

std::shared_ptr<const memory::ComponentTree> IpAdapter::openedTree(std::string_view role) const {
    return tree(role);
}

const memory::FamilyPrecision& IpAdapter::precisions() const {
    static const memory::FamilyPrecision stated = [] {
        const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
        const memory::ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
        const auto ofBoth = [](const memory::ComponentPreset& preset) {
            return std::map<std::string, memory::ComponentPreset>{
                {std::string(kImageEncoder), preset}, {std::string(kImageProjection), preset}};
        };
        // Norms and embeddings are small and sensitive.
        return memory::FamilyPrecision{
            .presets = {{"quality", ofBoth(exact)},
                        {"balanced", ofBoth(half)},
                        {"speed", ofBoth(half)}},
            .keptF32 = {},
            .keptFromF8 = {{std::string(kImageEncoder), {"norm", "embedding"}},
                           {std::string(kImageProjection), {"norm", "latents"}}},
            .mayOverflow = {}};
    }();
    return stated;
}

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestEncoderConfig = kMiB;
constexpr const char* kEncoderItem = "image_encoder";
constexpr const char* kEncoderFolder = "image_encoder";
constexpr const char* kEncoderFiles = "clip_vision";
constexpr const char* kEncoderStem = "model";

fs::path encoderConfigOf(const CheckpointPath& folder) {
    return fs::path(folder.path) / "config.json";
}

ImageEncoderFile openEncoderFolder(const CheckpointPath& path) {
    const files::InputFile file(encoderConfigOf(path).string());
    const std::string what = path.name + "/config.json";
    const Json settings =
        parseJson(file.readAll(kLargestEncoderConfig), what, {.readPythonNumbers = true});
    ImageEncoderFile opened{.name = path.name,
                            .config = readClipVisionConfig(settings, what),
                            .weights = openWeights(path.path, ".", kEncoderStem)};
    opened.weights.what = path.name;
    opened.weights.hint = phrase("get the weights and config.json of the same image encoder");
    opened.weights.files.push_back(stampOf(file));
    return opened;
}

/// Settings that no shape states are those of known towers, or stand next to the file.
ImageEncoderFile openEncoderFile(const CheckpointPath& path) {
    WeightFileHeader header = openWeightFile(path.path);
    const SidecarFile sidecar = readSidecar(path.path);
    const Json settings = withSidecar(clipVisionSettings(header.map), sidecar, kEncoderItem);
    checkVisionHeads(settings, header.map.what, sidecar);
    ImageEncoderFile opened{.name = path.name,
                            .config = readClipVisionConfig(settings, header.map.what),
                            .weights = std::move(header.map)};
    opened.weights.settings = phrase("what its shapes imply");
    opened.weights.hint = phrase("get the image encoder again, or choose another one");
    if (sidecar.stamp) {
        opened.weights.files.push_back(*sidecar.stamp);
    }
    return opened;
}

/// A location where an encoder may lie.
struct EncoderCandidate {
    CheckpointPath path;
    bool isMeant = false;  ///< nothing else lies there: what is wrong with it is reported
};

void addEncoderFolder(const fs::path& folder, std::vector<EncoderCandidate>& candidates) {
    const CheckpointPath path{folder.string(), files::lastPart(folder.string())};
    std::error_code ignored;
    if (fs::exists(encoderConfigOf(path), ignored)) {
        candidates.push_back({path, true});
    }
}

/// Files and folders of a folder that programs keep such encoders in, among others.
void addEncoderFiles(const fs::path& folder, std::vector<EncoderCandidate>& candidates) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    for (const std::string& path : found) {
        candidates.push_back({{path, files::lastPart(path)}, false});
    }
}

std::vector<EncoderCandidate> usualCandidates(const CheckpointPath& adapter,
                                              std::span<const std::string> modelFolders) {
    std::vector<EncoderCandidate> candidates;
    const fs::path folder = fs::path(adapter.path).parent_path();
    const fs::path above = folder.parent_path();
    addEncoderFolder(folder / kEncoderFolder, candidates);
    addEncoderFolder(above / kEncoderFolder, candidates);
    for (const Family* family : families()) {
        if (!family->adapters.imageEncoders.empty()) {
            addEncoderFolder(above / family->adapters.imageEncoders / kEncoderFolder, candidates);
        }
    }
    addEncoderFiles(above / kEncoderFiles, candidates);
    for (const fs::path models : modelFolders) {
        addEncoderFolder(models / kEncoderFolder, candidates);
        addEncoderFiles(models / kEncoderFiles, candidates);
        if (models.filename() == kEncoderFiles) {
            addEncoderFiles(models, candidates);
        }
    }
    return candidates;
}

std::optional<ImageEncoderFile> openedAt(const EncoderCandidate& candidate) {
    try {
        return openImageEncoder(candidate.path);
    } catch (const Error&) {
        if (candidate.isMeant) {
            throw;
        }
        return std::nullopt;
    }
}

/// Of what such an adapter reads of the encoder.
int64_t visionWidth(const ImageProjectionConfig& projection, const ClipVisionConfig& encoder) {
    return projection.isResampler ? encoder.width : encoder.projectionWidth;
}

Message wantedEncoder(const ImageProjectionConfig& projection) {
    constexpr int64_t kHuge = 1280;
    constexpr int64_t kHugePooled = 1024;
    constexpr int64_t kBig = 1664;
    constexpr int64_t kBigPooled = 1280;
    const int64_t width = projection.visionWidth;
    std::string_view known;
    if (width == (projection.isResampler ? kHuge : kHugePooled)) {
        known = "CLIP ViT-H";
    } else if (width == (projection.isResampler ? kBig : kBigPooled)) {
        known = "CLIP ViT-bigG";
    }
    const Message encoder =
        projection.isResampler
            ? message("an image encoder whose states are {} wide", width)
            : message("an image encoder whose projected embeddings are {} wide", width);
    return known.empty() ? encoder : message("{} ({})", encoder, known);
}

ImageEncoderFile usualEncoder(const IpAdapterFile& adapter,
                              const CheckpointPath& path,
                              std::span<const std::string> modelFolders) {
    std::vector<std::string> others;
    for (const EncoderCandidate& candidate : usualCandidates(path, modelFolders)) {
        if (std::optional<ImageEncoderFile> encoder = openedAt(candidate)) {
            if (visionWidth(adapter.projection, encoder->config) ==
                adapter.projection.visionWidth) {
                return *std::move(encoder);
            }
            others.push_back(candidate.path.path);
        }
    }
    const Message wanted = wantedEncoder(adapter.projection);
    throw Error(
        ErrorKind::NotFound,
        others.empty()
            ? message("{} needs {}, and none lies in image_encoder or clip_vision next to it",
                      adapter.what,
                      wanted)
            : message("{} needs {}, and none lies in image_encoder or clip_vision next to it; of "
                      "another width is {}",
                      adapter.what,
                      wanted,
                      listSome(others)),
        message("put it there, or choose it as Image encoder"),
        kEncoderItem);
}

ImageEncoderFile chosenEncoder(const IpAdapterFile& adapter, const CheckpointPath& path) {
    try {
        ImageEncoderFile encoder = openImageEncoder(path);
        const int64_t width = visionWidth(adapter.projection, encoder.config);
        if (width != adapter.projection.visionWidth) {
            throw Error(ErrorKind::InvalidInput,
                        message("the image encoder {} gives {} numbers, {} needs {}",
                                encoder.name,
                                width,
                                adapter.what,
                                wantedEncoder(adapter.projection)),
                        message("choose the image encoder that the IP-Adapter was made with"));
        }
        return encoder;
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kEncoderItem);
    }
}

}  // namespace

ImageEncoderFile openImageEncoder(const CheckpointPath& path) {
    std::error_code missing;
    return fs::is_directory(path.path, missing) ? openEncoderFolder(path) : openEncoderFile(path);
}

std::shared_ptr<const IpAdapter> openIpAdapter(const IpAdapterChoice& choice,
                                               std::span<const std::string> modelFolders) {
    IpAdapterFile file = ipAdapterIn(openWeightFile(choice.file.path).map);
    const ImageEncoderFile encoder = choice.encoder ? chosenEncoder(file, *choice.encoder)
                                                    : usualEncoder(file, choice.file, modelFolders);
    return std::make_shared<const IpAdapter>(choice.file.name, std::move(file), encoder);
}

}  // namespace lowtide::models
