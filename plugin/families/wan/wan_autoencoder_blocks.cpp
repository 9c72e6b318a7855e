#include "plugin/families/wan/wan_autoencoder_blocks.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kMostWanLevels = 8;
constexpr int64_t kMostWanWidth = 64;  ///< times the base width

/// WAN 2.1's latents, where config.json does not state them.
/// Source: diffusers 0.42.1 AutoencoderKLWan.
const std::vector<double> kWanMean = {-0.7571,
                                      -0.7089,
                                      -0.9113,
                                      0.1075,
                                      -0.1745,
                                      0.9653,
                                      -0.1517,
                                      1.5508,
                                      0.4134,
                                      -0.0715,
                                      0.5517,
                                      -0.3632,
                                      -0.1922,
                                      -0.9497,
                                      0.2503,
                                      -0.2921};
const std::vector<double> kWanDeviation = {2.8184,
                                           1.4541,
                                           2.3275,
                                           2.6558,
                                           1.2196,
                                           1.7708,
                                           2.6052,
                                           2.0743,
                                           3.2687,
                                           2.1526,
                                           2.8652,
                                           1.5579,
                                           1.6382,
                                           1.1253,
                                           2.8251,
                                           1.9160};

std::span<const FixedSetting> fixedWanAutoencoderSettings() {
    static const std::vector<FixedSetting> settings = {{"attn_scales", Json::array()},
                                                       {"in_channels", 3},
                                                       {"is_residual", false},
                                                       {"out_channels", 3},
                                                       {"patch_size", nullptr}};
    return settings;
}

[[noreturn]] void refuseWanSetting(const JsonReader& reader, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", reader.what(), problem),
                message("get the config.json of the checkpoint again"));
}

std::vector<bool> frameHalvings(const Json& json, const JsonReader& reader, size_t count) {
    const auto stated = json.find("temperal_downsample");
    if (stated == json.end() || stated->is_null()) {
        return {false, true, true};
    }
    const bool areFlags =
        stated->is_array() && std::all_of(stated->begin(), stated->end(), [](const Json& each) {
            return each.is_boolean();
        });
    if (!areFlags || stated->size() != count) {
        refuseWanSetting(reader, message("temperal_downsample needs {} of true and false", count));
    }
    return stated->get<std::vector<bool>>();
}

std::vector<double> wanNumbers(const JsonReader& reader,
                               const char* key,
                               const std::vector<double>& otherwise,
                               int64_t channels) {
    std::vector<double> numbers = reader.numbers(key).value_or(otherwise);
    const bool areFinite = std::all_of(
        numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    if (static_cast<int64_t>(numbers.size()) != channels || !areFinite) {
        refuseWanSetting(
            reader,
            message("{} has {} numbers, needs {} finite ones", key, numbers.size(), channels));
    }
    return numbers;
}

}  // namespace

int64_t WanAutoencoderConfig::frameDownsampling() const {
    return int64_t{1} << std::count(halvesFrames.begin(), halvesFrames.end(), true);
}

LatentSpace latentSpaceOf(const WanAutoencoderConfig& config, int64_t multiple) {
    return {.channels = config.latentChannels,
            .factor = config.downsampling(),
            .frameFactor = config.frameDownsampling(),
            .multiple = multiple,
            .hasFrames = true,
            .mean = config.latentsMean,
            .deviation = config.latentsDeviation};
}

WanAutoencoderConfig readWanAutoencoderConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "AutoencoderKLWan");
    refuseOtherSettings(json, what, fixedWanAutoencoderSettings());
    WanAutoencoderConfig config;
    config.latentChannels =
        integerInRange(reader, "z_dim", config.latentChannels, 1, kMostChannels);
    config.baseWidth = integerInRange(reader, "base_dim", config.baseWidth, 1, kMostChannels);
    config.decoderBaseWidth =
        integerInRange(reader, "decoder_base_dim", config.baseWidth, 1, kMostChannels);
    config.layersPerBlock =
        integerInRange(reader, "num_res_blocks", config.layersPerBlock, 1, kMostLayers);
    if (const auto stated = reader.integers("dim_mult")) {
        if (stated->size() < 2 || stated->size() > kMostWanLevels) {
            refuseWanSetting(
                reader,
                message("dim_mult has {} entries, needs 2 to {}", stated->size(), kMostWanLevels));
        }
        config.widths = integersInRange(reader, "dim_mult", 1, stated->size(), 1, kMostWanWidth);
    }
    config.halvesFrames = frameHalvings(json, reader, config.widths.size() - 1);
    config.latentsMean = wanNumbers(reader, "latents_mean", kWanMean, config.latentChannels);
    config.latentsDeviation =
        wanNumbers(reader, "latents_std", kWanDeviation, config.latentChannels);
    if (std::any_of(config.latentsDeviation.begin(),
                    config.latentsDeviation.end(),
                    [](double deviation) { return deviation <= 0; })) {
        refuseWanSetting(reader, message("latents_std has a number that is not above 0"));
    }
    return config;
}

namespace kernels = tensor::kernels;

namespace {

using BlockGuard = NetworkBuilder::BlockGuard;

std::optional<PixelProduct> shortcutOf(NetworkBuilder& builder,
                                       const std::string& name,
                                       int64_t in,
                                       int64_t out) {
    if (in == out) {
        return std::nullopt;
    }
    return PixelProduct(builder, name + ".conv_shortcut", in, out, /*hasFrameAxis=*/true);
}

std::optional<CausalConv> timeConv(NetworkBuilder& builder,
                                   const std::string& name,
                                   HistorySlots& slots,
                                   int64_t channels,
                                   bool doublesFrames) {
    if (!doublesFrames) {
        return std::nullopt;
    }
    return CausalConv(builder, name + ".time_conv", slots, channels, 2 * channels, 1);
}

std::vector<CausalResnet> resnetsOf(NetworkBuilder& builder,
                                    const std::function<std::string(int64_t)>& nameOf,
                                    HistorySlots& slots,
                                    int64_t count,
                                    int64_t in,
                                    int64_t out) {
    std::vector<CausalResnet> resnets;
    for (int64_t i = 0; i < count; ++i) {
        const std::string name = nameOf(i);
        const BlockGuard guard(builder, name);
        resnets.emplace_back(builder, name, slots, i == 0 ? in : out, out);
    }
    return resnets;
}

/// diffusers numbers resnets and what shrinks between the levels in one row.
std::vector<WanEncoder::Level> encoderLevels(NetworkBuilder& builder,
                                             HistorySlots& slots,
                                             const WanAutoencoderConfig& config) {
    std::vector<WanEncoder::Level> levels;
    int64_t number = 0;
    const auto next = [&](int64_t = 0) {
        return "encoder.down_blocks." + std::to_string(number++);
    };
    int64_t in = config.baseWidth;
    for (size_t i = 0; i < config.widths.size(); ++i) {
        const int64_t out = config.baseWidth * config.widths[i];
        WanEncoder::Level level{
            .resnets = resnetsOf(builder, next, slots, config.layersPerBlock, in, out),
            .shrink = std::nullopt};
        if (i + 1 < config.widths.size()) {
            const std::string name = next();
            const BlockGuard guard(builder, name);
            level.shrink.emplace(builder, name, slots, out, config.halvesFrames[i]);
        }
        levels.push_back(std::move(level));
        in = out;
    }
    return levels;
}

std::vector<WanDecoder::Level> decoderLevels(NetworkBuilder& builder,
                                             HistorySlots& slots,
                                             const WanAutoencoderConfig& config) {
    std::vector<WanDecoder::Level> levels;
    const size_t count = config.widths.size();
    int64_t in = config.decoderBaseWidth * config.widths.back();
    for (size_t i = 0; i < count; ++i) {
        const std::string name = "decoder.up_blocks." + std::to_string(i);
        const BlockGuard guard(builder, name);
        const int64_t out = config.decoderBaseWidth * config.widths[count - 1 - i];
        WanDecoder::Level level{
            .resnets = resnetsOf(
                builder,
                [&](int64_t resnet) { return name + ".resnets." + std::to_string(resnet); },
                slots,
                config.layersPerBlock + 1,
                in,
                out),
            .grow = std::nullopt};
        if (i + 1 < count) {
            level.grow.emplace(
                builder, name + ".upsamplers.0", slots, out, config.halvesFrames[count - 2 - i]);
            in = out / 2;
        }
        levels.push_back(std::move(level));
    }
    return levels;
}

at::Tensor applyAll(Forward& forward,
                    const std::vector<CausalResnet>& resnets,
                    at::Tensor x,
                    FrameHistory& history) {
    for (const CausalResnet& resnet : resnets) {
        x = resnet.apply(forward, x, history);
    }
    return x;
}

}  // namespace

CausalResnet::CausalResnet(
    NetworkBuilder& builder, const std::string& name, HistorySlots& slots, int64_t in, int64_t out)
    : firstNorm(builder, name + ".norm1", in, /*hasFrameAxis=*/true),
      first(builder, name + ".conv1", slots, in, out, 3),
      lastNorm(builder, name + ".norm2", out, /*hasFrameAxis=*/true),
      last(builder, name + ".conv2", slots, out, out, 3),
      shortcut(shortcutOf(builder, name, in, out)) {}

at::Tensor CausalResnet::apply(Forward& forward, const at::Tensor& x, FrameHistory& history) const {
    at::Tensor hidden = first.apply(forward, firstNorm.applyActivated(forward, x), history);
    hidden = last.apply(forward, lastNorm.applyActivated(forward, hidden), history);
    return hidden.add_(shortcut ? shortcut->apply(forward, x) : x);
}

FrameAttention::FrameAttention(NetworkBuilder& builder, const std::string& name, int64_t channels)
    : norm(builder, name + ".norm", channels, /*hasFrameAxis=*/false),
      inputs(builder, name + ".to_qkv", channels, 3 * channels, /*hasFrameAxis=*/false),
      output(builder, name + ".proj", channels, channels, /*hasFrameAxis=*/false) {}

at::Tensor FrameAttention::apply(Forward& forward, const at::Tensor& x) const {
    const std::vector<at::Tensor> parts = inputs.apply(forward, norm.apply(forward, x))
                                              .flatten(2)
                                              .transpose(1, 2)
                                              .contiguous()  // [T, HW, 3 C]
                                              .unsqueeze(1)
                                              .chunk(3, -1);
    const at::Tensor found =
        kernels::attention(parts[0], parts[1], parts[2], /*causal=*/false).squeeze(1);
    return x + output.apply(forward, found.transpose(1, 2).reshape(x.sizes()));
}

WanMid::WanMid(NetworkBuilder& builder,
               const std::string& name,
               HistorySlots& slots,
               int64_t channels)
    : first(builder, name + ".resnets.0", slots, channels, channels),
      attention(builder, name + ".attentions.0", channels),
      last(builder, name + ".resnets.1", slots, channels, channels) {}

at::Tensor WanMid::apply(Forward& forward, const at::Tensor& x, FrameHistory& history) const {
    return last.apply(forward, attention.apply(forward, first.apply(forward, x, history)), history);
}

WanShrink::WanShrink(NetworkBuilder& builder,
                     const std::string& name,
                     HistorySlots& slots,
                     int64_t channels,
                     bool halvesFrames)
    : conv(builder,
           name + ".resample.1",
           {.in = channels, .out = channels, .stride = 2, .padding = 0}) {
    if (halvesFrames) {
        slot = slots.count++;
        time = builder.leaf(name + ".time_conv.",
                            {{.name = "weight", .shape = {channels, channels, 3, 1, 1}},
                             {.name = "bias", .shape = {channels}}});
    }
}

at::Tensor WanShrink::smaller(Forward& forward, const at::Tensor& x) const {
    // Padded at the right and at the bottom only.
    return conv.apply(forward, at::constant_pad_nd(x, {0, 1, 0, 1}));
}

at::Tensor WanShrink::shorter(Forward& forward,
                              const at::Tensor& small,
                              FrameHistory& history) const {
    if (!time) {
        return small;
    }
    const FrameHistory::Frames before =
        std::exchange(history.frames[slot], {small.narrow(0, small.size(0) - 1, 1).clone()});
    if (before.empty()) {
        return small;
    }
    const residency::Lease lease = forward.use(*time);
    const at::Tensor all = at::cat({before.back(), small}).to(lease[0].scalar_type());
    const int64_t count = (all.size(0) - 3) / 2 + 1;
    at::Tensor sum;
    for (int64_t tap = 0; tap < 3; ++tap) {
        const at::Tensor seen = all.slice(0, tap, tap + 2 * (count - 1) + 1, 2).contiguous();
        const at::Tensor part = kernels::conv2d(
            seen, lease[0].select(2, tap).contiguous(), tap == 0 ? lease[1] : at::Tensor(), 1, 0);
        sum = tap == 0 ? part : sum.add_(part);
    }
    return sum.to(small.scalar_type());
}

WanGrow::WanGrow(NetworkBuilder& builder,
                 const std::string& name,
                 HistorySlots& slots,
                 int64_t channels,
                 bool doublesFrames)
    : time(timeConv(builder, name, slots, channels, doublesFrames)),
      conv(builder, name + ".resample.1", {.in = channels, .out = channels / 2}) {}

at::Tensor WanGrow::apply(Forward& forward, const at::Tensor& x, FrameHistory& history) const {
    at::Tensor hidden = x;
    if (time && !history.isFirstChunk) {
        // Twice the channels are two frames: [T, 2 C, H, W] -> [2 T, C, H, W].
        hidden = time->apply(forward, x, history)
                     .contiguous()
                     .view({2 * x.size(0), x.size(1), x.size(2), x.size(3)});
    }
    return conv.applyUpsampled(forward, hidden, 2 * hidden.size(2), 2 * hidden.size(3));
}

WanEncoder::WanEncoder(NetworkBuilder& builder, const WanAutoencoderConfig& config)
    : input(builder, "encoder.conv_in", slots, config.imageChannels, config.baseWidth, 3),
      levels(encoderLevels(builder, slots, config)),
      mid([&] {
          const BlockGuard guard(builder, "encoder.mid_block");
          return WanMid(
              builder, "encoder.mid_block", slots, config.baseWidth * config.widths.back());
      }()),
      outputNorm(builder,
                 "encoder.norm_out",
                 config.baseWidth * config.widths.back(),
                 /*hasFrameAxis=*/true),
      output(builder,
             "encoder.conv_out",
             slots,
             config.baseWidth * config.widths.back(),
             2 * config.latentChannels,
             3) {}

at::Tensor WanEncoder::apply(Forward& forward,
                             const at::Tensor& frames,
                             FrameHistory& history) const {
    at::Tensor hidden = frames;
    for (size_t i = 0; i < levels.size(); ++i) {
        const Level& level = levels[i];
        FrameHistory::Frames done;
        for (int64_t frame = 0; frame < hidden.size(0); ++frame) {
            at::Tensor one = hidden.narrow(0, frame, 1);
            one = i == 0 ? input.apply(forward, one, history) : one;
            one = applyAll(forward, level.resnets, std::move(one), history);
            done.push_back(level.shrink ? level.shrink->smaller(forward, one) : one);
        }
        hidden = done.size() == 1 ? done.front() : at::cat(done);
        done.clear();
        hidden = level.shrink ? level.shrink->shorter(forward, hidden, history) : hidden;
    }
    hidden = mid.apply(forward, hidden, history);
    history.isFirstChunk = false;
    return output.apply(forward, outputNorm.applyActivated(forward, hidden), history);
}

WanDecoder::WanDecoder(NetworkBuilder& builder, const WanAutoencoderConfig& config)
    : input(builder,
            "decoder.conv_in",
            slots,
            config.latentChannels,
            config.decoderBaseWidth * config.widths.back(),
            3),
      mid([&] {
          const BlockGuard guard(builder, "decoder.mid_block");
          return WanMid(
              builder, "decoder.mid_block", slots, config.decoderBaseWidth * config.widths.back());
      }()),
      levels(decoderLevels(builder, slots, config)),
      outputNorm(builder,
                 "decoder.norm_out",
                 config.decoderBaseWidth * config.widths.front(),
                 /*hasFrameAxis=*/true),
      output(builder,
             "decoder.conv_out",
             slots,
             config.decoderBaseWidth * config.widths.front(),
             config.imageChannels,
             3) {}

void WanDecoder::grow(Forward& forward,
                      size_t level,
                      const at::Tensor& frames,
                      FrameHistory& history,
                      FrameHistory::Frames& done) const {
    for (int64_t i = 0; i < frames.size(0); ++i) {
        at::Tensor frame = frames.narrow(0, i, 1);
        if (level == levels.size()) {
            done.push_back(output.apply(forward, outputNorm.applyActivated(forward, frame), history)
                               .contiguous());
            continue;
        }
        const Level& here = levels[level];
        frame = applyAll(forward, here.resnets, std::move(frame), history);
        if (here.grow) {
            frame = here.grow->apply(forward, frame, history);
        }
        grow(forward, level + 1, frame, history, done);
    }
}

at::Tensor WanDecoder::apply(Forward& forward,
                             const at::Tensor& latent,
                             FrameHistory& history) const {
    FrameHistory::Frames done;
    grow(forward,
         0,
         mid.apply(forward, input.apply(forward, latent, history), history),
         history,
         done);
    history.isFirstChunk = false;
    return done.size() == 1 ? done.front() : at::cat(done);
}

}  // namespace lowtide::models
