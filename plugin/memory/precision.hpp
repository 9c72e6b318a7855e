#pragma once
// What a user asks of the numbers of one node, and what was resolved from it. Pure data.

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

inline constexpr std::array<std::string_view, 3> kPrecisionPresets = {
    "quality", "balanced", "speed"};

/// Switches that trade precision for speed. All but the first two are process-wide in LibTorch.
enum class NumericSwitch : uint8_t {
    MatmulHalfAccumulation,       ///< f16 products are summed in f16
    ConvolutionHalfAccumulation,  ///< f16 convolutions are summed in f16
    SplitKReduction,              ///< partial sums of half products are added in half precision
    Tf32Matmul,
    Tf32Convolution,
    CudnnBenchmark,      ///< the fastest algorithm is searched: not the same bits every time
    CudnnDeterministic,  ///< only algorithms that give the same bits every time
    AttentionFlash,
    AttentionFlash3,
    AttentionMemoryEfficient,
    AttentionCudnn,
    AttentionMath,
    AttentionMathHalfReduction  ///< the plain form of attention keeps half precision inside
};
inline constexpr size_t kNumericSwitchCount = 13;
/// "matmul_half_accumulation", ...
[[nodiscard]] std::string_view nameOf(NumericSwitch numericSwitch) noexcept;
/// What turning it on costs, or brings; for a user.
[[nodiscard]] Phrase costOf(NumericSwitch numericSwitch) noexcept;

/// Types that a user asks for; empty: as the preset has it.
struct PrecisionTypes {
    /// Of weights on a device. F8E4M3 has one scale for each output channel, unless the file has
    /// the very type.
    std::optional<DType> storage;
    bool storesAsInFile = false;  ///< "file"
    std::optional<DType> compute;

    bool operator==(const PrecisionTypes&) const = default;
};

/// How precisely one node computes (design 1, case 5).
struct PrecisionChoice {
    std::string preset = "balanced";
    PrecisionTypes types;
    /// Parts of names of layers that are stored as their file has them and computed in f32.
    std::vector<std::string> keptF32;
    std::map<NumericSwitch, bool> switches;
    std::map<std::string, PrecisionTypes> components;  ///< by role, before `types`
    /// Compute capabilities (86 is 8.6) of the GPUs on which components compute, by role, of the
    /// others under ""; 0: no GPU. Nobody requests them: they are where the run places its nodes.
    std::map<std::string, int> capabilities{};

    bool operator==(const PrecisionChoice&) const = default;
    /// What is asked for one component.
    [[nodiscard]] PrecisionTypes typesOf(const std::string& role) const;
    /// The capability of the GPU on which a component computes.
    [[nodiscard]] int capabilityOf(const std::string& role) const;
};

/// Text form: `quality|balanced|speed`, then `,storage=file|f32|f16|bf16|f8`,
/// `,compute=f32|f16|bf16`, `,keep_f32=NAME+NAME`, `,SWITCH=on|off`. Error{InvalidInput} names what
/// was not understood and lists the forms.
[[nodiscard]] PrecisionChoice parsePrecision(std::string_view text);
[[nodiscard]] std::string toText(const PrecisionChoice& choice);
/// JSON form: {"preset", "storage", "compute", "keep_f32", "switches", "components"}, a text, or
/// null: nothing is asked.
[[nodiscard]] PrecisionChoice precisionFromJson(const Json& json, const std::string& what);
/// Null for a choice that asks nothing.
[[nodiscard]] Json toJson(const PrecisionChoice& choice);

/// "f32", "bf16", "f8", ...: types as users write them.
[[nodiscard]] std::string shortNameOf(DType type);

enum class SwitchState : uint8_t { NotApplicable, Off, On };
using SwitchStates = std::array<SwitchState, kNumericSwitchCount>;

/// How one component of one node is stored and computed: resolved before anything is loaded.
struct ComponentPrecision {
    std::string preset = "balanced";
    std::string role;
    DType storage = DType::F32;
    bool storesAsInFile = false;
    /// Nobody asked for a storage: a file that is quantised is left as it is (settled()).
    bool keepsQuantised = false;
    DType compute = DType::F32;
    /// Weights that a file has in 16 bits remain so where they are multiplied in f32: exactly, and
    /// nothing is converted.
    bool multipliesHalves = false;
    std::vector<std::string> keptF32;     ///< parts of names: as in the file, computed in f32
    std::vector<std::string> keptFromF8;  ///< parts of names: as in the file where others are f8
    /// The result must be finite; where it is not, it is computed once more in f32, which is
    /// reported.
    bool checksFinite = false;
    SwitchStates switches{};
    std::vector<Message> lossy;  ///< sentences: why the result is not that of f32
    std::vector<Message> reuse;  ///< sentences: what a step cache leaves out of it
    std::vector<Message> notes;  ///< sentences: what its family has to report about it

    /// "file", or the type that was decided: what is reported. Of a file in 16 bits only norms,
    /// biases and tables are widened where products take its weights as they lie.
    [[nodiscard]] std::string storageName() const {
        const bool liesAsInFile =
            storesAsInFile || (multipliesHalves && storage == DType::F32 && compute == DType::F32);
        return liesAsInFile ? "file" : shortNameOf(storage);
    }

    [[nodiscard]] SwitchState stateOf(NumericSwitch numericSwitch) const {
        return switches[static_cast<size_t>(numericSwitch)];
    }

    /// `lossy` and `reuse`; empty: the result is that of f32 and of every step.
    [[nodiscard]] std::vector<Message> losses() const {
        std::vector<Message> all = lossy;
        all.insert(all.end(), reuse.begin(), reuse.end());
        return all;
    }
};

/// As plans, reports and images have it. A switch without effect reads "not applicable here".
[[nodiscard]] Json toJson(const ComponentPrecision& precision);

}  // namespace lowtide::memory
