#pragma once
// Settings of an image as other programs write them into it: AUTOMATIC1111 and Forge, InvokeAI,
// Fooocus, SwarmUI.

#include "plugin/interop/class_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::interop {

enum class ForeignProgram { A1111, InvokeAi, Fooocus, SwarmUi };

struct UsedLora {
    std::string name;
    double strength = 1;
};

/// What made an image. Names of samplers and schedules are those that the program writes.
struct ImageSettings {
    ForeignProgram program = ForeignProgram::A1111;
    std::string prompt;
    std::string negative;
    std::optional<int64_t> steps;
    std::optional<uint64_t> seed;
    std::optional<double> cfg;
    std::optional<double> strength;  ///< of an image that it began with
    std::optional<int64_t> widthPixels;
    std::optional<int64_t> heightPixels;
    std::optional<int64_t> clipSkip;  ///< 1: none, as A1111 counts
    std::string sampler;
    std::string schedule;
    std::string model;
    std::string modelHash;
    std::string autoencoder;
    std::vector<std::string> modules;  ///< files of Forge that go with a model of one network
    std::optional<double> guidance;    ///< that some models take as a number
    std::vector<UsedLora> loras;
    std::vector<std::string> taken;   ///< the program's names of what is above
    std::vector<std::string> others;  ///< of what is not
};

/// The fields at the end of A1111's `parameters`: "Steps: 20, Sampler: Euler". Empty: it has none,
/// or none that is called Steps.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> a1111Fields(std::string_view text);
/// Nothing: the text does not end with such fields.
[[nodiscard]] std::optional<ImageSettings> readA1111(std::string_view text);
/// Of one of the JSON forms. Nothing: it is none of them.
[[nodiscard]] std::optional<ImageSettings> readSettings(const Json& json);

/// Names of samplers and schedules as ComfyUI calls them; resources/interop/samplers.json.
class SamplerNames {
public:
    /// Error{Corrupt}: a row has no name.
    explicit SamplerNames(const Json& rows);

    struct Known {
        std::string sampler;   ///< empty: none is known
        std::string schedule;  ///< empty: none is known
    };

    /// By what a program wrote: "DPM++ 2M Karras", or "DPM++ 2M" and "Karras".
    [[nodiscard]] Known find(const std::string& sampler, const std::string& schedule) const;

private:
    std::map<std::string, Known> samplers_;
    std::map<std::string, std::string> schedules_;
};

/// The table of the folder of resources. Errors: those of InputFile and of SamplerNames.
[[nodiscard]] SamplerNames readSamplerNames(const std::string& resourcesFolder);

[[nodiscard]] std::string_view nameOf(ForeignProgram program);

}  // namespace lowtide::interop
