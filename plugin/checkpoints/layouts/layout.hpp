#pragma once
// Layouts of files: how a checkpoint, or a part of one, lies in a folder or a file; those that are
// folders. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/checkpoints/weight_file.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lowtide::models {

struct Network;

/// What lies at a path, before anything of it is understood.
struct ModelSource {
    CheckpointPath path;
    std::optional<WeightFileHeader> header;  ///< of a file; empty: it is a folder
    SidecarFile sidecar;                     ///< settings that a user wrote for the file
};

/// A layout of files. Those of one family are named by it, the others in layout.cpp.
struct Layout {
    std::string name;
    /// The one component that it holds, as the diffusers layout calls it ("vae"); empty: it is a
    /// whole checkpoint.
    std::string component{};
    std::string kind = "checkpoint";  ///< as Recognised has it: "denoiser", "text_encoder"
    Message use{};  ///< of a component: what a user does with it ("choose it in ...")
    /// How sure it is that the source is of this layout, by names and shapes: 0 (it is not) to 1.
    std::function<double(const ModelSource& source)> detect{};
    /// Shows the source in the diffusers layout. `resourcesFolder` holds tokenizers/. Errors
    /// name the file and the tensor or setting.
    std::function<std::unique_ptr<Checkpoint>(ModelSource source,
                                              const std::string& resourcesFolder)>
        open{};
    /// For users, the model that the component is of ("SD 1.x"); empty: not known.
    std::function<std::string(Checkpoint& opened)> label{};
    /// Of a component that is one of two: what users call the other; empty, or an empty text: it
    /// is alone.
    std::function<Message(Checkpoint& opened)> other{};

    [[nodiscard]] bool isComplete() const { return component.empty(); }
};

/// The layout of a file with this denoiser alone, as Network::file states it. `network` must
/// outlive it.
[[nodiscard]] Layout denoiserAlone(const Network& network);
/// Every layout that is built.
[[nodiscard]] std::span<const Layout* const> layouts();
/// Reads the header of a file, no weight: of a network's folder, an index of shards or a shard too.
/// Errors: those of openWeightFile() and readSidecar().
[[nodiscard]] ModelSource readSource(const CheckpointPath& path);
/// The folder of the low-noise model where a folder holds both models of a pair, as they are
/// published; readSource() opens the high-noise one. Empty: it does not.
[[nodiscard]] std::string lowNoiseIn(const std::string& folder);
/// The surest of all layouts; nullptr where none knows the source.
[[nodiscard]] const Layout* layoutOf(const ModelSource& source);

/// Opens a whole checkpoint. Error{Unsupported} states what was seen in a file of no such layout.
[[nodiscard]] std::unique_ptr<Checkpoint> openLayout(const CheckpointPath& path,
                                                     const std::string& resourcesFolder);
/// Opens what gives one component ("unet", "vae"): a file of it alone, or a whole checkpoint.
/// Error{Unsupported} for a file that has none.
[[nodiscard]] std::unique_ptr<Checkpoint> openPart(const CheckpointPath& path,
                                                   const std::string& component,
                                                   const std::string& resourcesFolder);
/// Opens a denoiser that states which pipeline it is of, alone or in a whole checkpoint.
/// Error{Unsupported} for another file.
[[nodiscard]] std::unique_ptr<Checkpoint> openDenoiser(const CheckpointPath& path,
                                                       const std::string& resourcesFolder);

}  // namespace lowtide::models
