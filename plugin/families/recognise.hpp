#pragma once
// What a file or folder of weights is, from headers and shapes. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Whether this version runs a model.
enum class Readiness : uint8_t {
    Runs,
    OneOfTwo,  ///< it runs; its model has two denoisers and it is one of them
    InPart,    ///< its denoiser runs; what else it holds is not read
    RunsWith,  ///< it runs with a file that it lacks
    NotBuilt,  ///< it is known, and nothing here runs it
    NotKnown,
    Refused  ///< it would run, but for the problem
};

/// "runs", "one_of_two", "in_part", "runs_with", "not_built", "not_known", "refused".
[[nodiscard]] std::string_view idOf(Readiness readiness);

/// What was recognised. Texts are empty where nothing is known.
struct Recognised {
    std::string kind = "unknown";  ///< as Recogniser::recognise() has it
    std::string layout;            ///< a Layout's name
    std::string family;            ///< for users: "SD 1.x inpainting", "ESRGAN", "LoRA"
    Readiness readiness = Readiness::NotKnown;
    Message needs;                            ///< what it runs with: "an autoencoder (vae)"
    Bytes largest = 0;                        ///< of the largest tensor
    StoredFractions stored;                   ///< of all tensors
    Message problem;                          ///< a sentence: why it cannot be used as what it is
    std::vector<memory::WeightFile> files{};  ///< that were read

    [[nodiscard]] bool isRunnable() const {
        return readiness == Readiness::Runs || readiness == Readiness::OneOfTwo ||
               readiness == Readiness::InPart;
    }
};

struct Family;

/// Opens a model as loading it does: reads headers, settings and tokenizers, no weight. What would
/// be refused becomes the problem. Of a folder without a model the kind is "folder".
[[nodiscard]] Recognised recogniseModel(const CheckpointPath& path,
                                        const std::string& resourcesFolder,
                                        std::span<const Family* const> families);

/// What was recognised and runs, until one of its files changes: lists ask at every look.
/// Thread-safe.
class RecognisedModels {
public:
    template <class Recognise>
    Recognised at(const std::string& path, const Recognise& recognise) {
        if (auto known = find(path)) {
            return *known;
        }
        Recognised found = recognise();
        keep(path, found);
        return found;
    }

private:
    [[nodiscard]] std::optional<Recognised> find(const std::string& path);
    void keep(const std::string& path, const Recognised& found);

    std::mutex mutex_;
    std::map<std::string, Recognised> known_;
};

}  // namespace lowtide::models
