#include "plugin/checkpoints/single_file/constants_check.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

namespace {

/// Of one setting: each of `widths` must be a multiple of its divisor (the last one counts for
/// those that follow). Settings of another type are left to those who read them.
struct Divisor {
    const char* part;
    const char* key;
    const char* meaning;
};

std::vector<int64_t> integersOf(const Json& settings, const char* key) {
    const auto value = settings.find(key);
    std::vector<int64_t> numbers;
    if (value == settings.end()) {
        return numbers;
    }
    for (const Json& entry : value->is_array() ? *value : Json::array({*value})) {
        if (entry.is_number_integer()) {
            numbers.push_back(entry.get<int64_t>());
        }
    }
    return numbers;
}

void checkDivides(const Json& settings,
                  const char* widthKey,
                  const Divisor& divisor,
                  const std::string& what,
                  const BesideFile& beside) {
    const std::vector<int64_t> widths = integersOf(settings, widthKey);
    const std::vector<int64_t> numbers = integersOf(settings, divisor.key);
    for (size_t i = 0; i < widths.size() && !numbers.empty(); ++i) {
        const int64_t number = numbers[std::min(i, numbers.size() - 1)];
        if (number >= 1 && widths[i] % number == 0) {
            continue;
        }
        throw Error(ErrorKind::Unsupported,
                    what + ": the file does not say how many " + divisor.meaning + " there are, " +
                        std::to_string(number) + " do not divide its widths " + toText(widths),
                    "state it in " + beside.name + " beside the file: {\"" + divisor.part +
                        "\": {\"" + divisor.key + "\": NUMBER}}");
    }
}

/// SD 1.x has convolutions before its attentions; the heads of a network with matrices there and
/// its text are known of no published one.
void checkHeadsOfMatrices(const Json& settings, const std::string& what, const BesideFile& beside) {
    constexpr int64_t kTextOfVersion1 = 768;
    constexpr const char* kHeads = "attention_head_dim";
    const Json unet = beside.parts.value("unet", Json::object());
    if (settings.value("use_linear_projection", Json()) == true &&
        settings.value("cross_attention_dim", Json()) == kTextOfVersion1 &&
        !unet.contains(kHeads)) {
        throw Error(ErrorKind::Unsupported,
                    what +
                        ": its denoiser reads texts of SD 1.x and has matrices where SD 1.x has "
                        "convolutions (proj_in); the file does not say how many attention heads "
                        "there are",
                    "state it in " + beside.name + " beside the file: {\"unet\": {\"" + kHeads +
                        "\": NUMBER}}");
    }
}

}  // namespace

void checkUNetConstants(const Json& settings, const std::string& what, const BesideFile& beside) {
    for (const Divisor& divisor : {Divisor{"unet", "norm_num_groups", "norm groups"},
                                   Divisor{"unet", "attention_head_dim", "attention heads"}}) {
        checkDivides(settings, "block_out_channels", divisor, what, beside);
    }
    checkHeadsOfMatrices(settings, what, beside);
}

void checkAutoencoderConstants(const Json& settings,
                               const std::string& what,
                               const BesideFile& beside) {
    const Divisor groups{"vae", "norm_num_groups", "norm groups of the autoencoder"};
    checkDivides(settings, "block_out_channels", groups, what, beside);
}

void checkTextConstants(const Json& settings, const std::string& what, const BesideFile& beside) {
    const Divisor heads{
        "text_encoder", "num_attention_heads", "attention heads of the text encoder"};
    checkDivides(settings, "hidden_size", heads, what, beside);
}

}  // namespace lowtide::models
