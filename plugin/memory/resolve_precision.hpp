#pragma once
// From what a user asks of numbers to how a component is stored and computed, and what the plan
// states about its bytes. Pure: nothing is read from a device.

#include "plugin/memory/precision.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

// From what a user asks to how one component is stored and computed. Pure: the same question has
// the same answer, and nothing is read from a device.

struct ComponentTree;

/// What a family states of one component under one preset, for devices that gain from half types.
/// Where they do not, everything is f32.
struct ComponentPreset {
    bool storesAsInFile = false;
    DType storage = DType::F32;
    std::optional<DType> compute{};  ///< empty: f32 where the file has f32, else as the file
    bool accumulatesInHalf = false;  ///< its f16 sums may be f16
};

/// What a device does with numbers; as made here, a CPU, and a rehearsal, which runs its operators.
struct NumericTraits {
    bool isCuda = false;
    bool gainsFromF16 = false;  ///< it is faster than f32
    bool gainsFromBf16 = false;
    bool hasTf32 = false;
    bool hasFlash3 = false;
    bool sumsConvolutionsInHalf = false;  ///< where it is asked to; ATen's path never does
    /// Products and convolutions in f32 take weights of 16 bits as they lie (tensor/kernels).
    bool multipliesHalves = false;

    /// Of a GPU by its compute capability: 86 is 8.6.
    [[nodiscard]] static NumericTraits ofCuda(int capability);
};

/// What a family has to report about one component where it is computed so: why a preset does what
/// it does, or what is known of its losses.
struct PrecisionNote {
    std::string role;
    bool (*applies)(const ComponentPrecision& precision, const NumericTraits& device);
    Message sentence;
};

/// What a family states of its precision.
struct FamilyPrecision {
    std::map<std::string, std::map<std::string, ComponentPreset>> presets;  ///< by name, by role
    std::map<std::string, std::vector<std::string>> keptF32;                ///< by role
    std::map<std::string, std::vector<std::string>> keptFromF8;             ///< by role
    std::set<std::string> mayOverflow;  ///< roles whose half results are checked
    std::vector<PrecisionNote> notes{};
};

/// How a file has the numbers of a tensor.
struct FileType {
    DType type;              ///< what decoding gives where they are encoded
    std::string encoding{};  ///< empty: an array of numbers

    FileType(DType array) : type(array) {}

    FileType(DType decoded, std::string name) : type(decoded), encoding(std::move(name)) {}

    auto operator<=>(const FileType&) const = default;
};

using FileTypes = std::function<std::set<FileType>()>;

/// Those in which the file has what comes to a device, each once.
[[nodiscard]] std::set<FileType> fileTypesOf(const ComponentTree& tree);

/// `fileTypes` gives the types that the file has, as fileTypesOf(); it is asked only where they
/// matter, since it may open files. Errors: Error{InvalidInput} names a preset that the family does
/// not state; and its own.
[[nodiscard]] ComponentPrecision resolvePrecision(const PrecisionChoice& choice,
                                                  const FamilyPrecision& family,
                                                  const std::string& role,
                                                  const NumericTraits& device,
                                                  const FileTypes& fileTypes);

/// What `precision` is for the component once its file is known: stored as in the file where that
/// is quantised and nobody asked for a storage. The bits are those of decoding it once.
[[nodiscard]] ComponentPrecision settled(const ComponentPrecision& precision,
                                         const ComponentTree& tree);

/// The component stored and computed so, settled. Its id is the tree's own where the bytes on a
/// device are the same.
[[nodiscard]] ComponentTree inPrecision(const ComponentTree& tree,
                                        const ComponentPrecision& precision);

/// Whether numbers were rounded to lie so, to eight bits or fewer: fp8, int8, GGUF's blocks, ...
/// Where a file has such and no storage is asked for, settled() stores a component as its file has
/// it, under every preset (decision 0068).
[[nodiscard]] bool isQuantised(const FileType& type);

/// Sentences on the bytes of a component that is stored so: what its quantised file takes as it is
/// and decoded, and what weights that adapters change take while they stream. `precision`: settled.
[[nodiscard]] std::vector<Message> storageNotes(const ComponentTree& tree,
                                                const ComponentPrecision& precision);

}  // namespace lowtide::memory
