#include "plugin/sampling/scheduler_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lowtide::sampling {

namespace {

constexpr const char* kFlowPrefix = "FlowMatch";         ///< of classes that know flows alone
constexpr const char* kFlowSetting = "use_flow_sigmas";  ///< of the others
constexpr const char* kOwnShift = "shift";
constexpr const char* kFlowShift = "flow_shift";
constexpr const char* kDynamic = "use_dynamic_shifting";
constexpr const char* kTimeShift = "time_shift_type";
constexpr const char* kExponential = "exponential";
constexpr const char* kLinear = "linear";
// Keys of our own, which no file has: what a family or the size of an image adds to it.
constexpr const char* kFlowSpacing = "flow_spacing";
constexpr const char* kFlowMu = "flow_mu";
constexpr const char* kFollowsSize = "flow_follows_size";
constexpr int64_t kMostTrainSteps = 1'000'000;
constexpr const char* kFileName = "scheduler_config.json";
constexpr std::string_view kEdmPrefix = "EDM";  ///< of classes

[[noreturn]] void corrupt(const char* key, const Message& value, const Message& wanted) {
    throw Error(ErrorKind::Corrupt,
                message("{}: \"{}\" is {}, it must be {}", kFileName, key, value, wanted),
                message("repair the checkpoint's scheduler settings"),
                key);
}

double betaFrom(const JsonReader& reader, const char* key, double missing) {
    const double beta = reader.number(key).value_or(missing);
    if (!(beta > 0 && beta < 1)) {
        corrupt(key, Message(formatNumber(beta)), message("between 0 and 1"));
    }
    return beta;
}

NoiseSchedule readNoise(const JsonReader& reader, const SchedulerClass& kind) {
    NoiseSchedule noise = kind.noise;
    noise.trainSteps = reader.integer("num_train_timesteps").value_or(noise.trainSteps);
    if (noise.trainSteps < 1 || noise.trainSteps > kMostTrainSteps) {
        corrupt("num_train_timesteps",
                Message(std::to_string(noise.trainSteps)),
                message("from 1 to {}", kMostTrainSteps));
    }
    noise.betaStart = betaFrom(reader, "beta_start", noise.betaStart);
    noise.betaEnd = betaFrom(reader, "beta_end", noise.betaEnd);
    noise.kind = reader.text("beta_schedule").value_or(noise.kind);
    noise.betas = reader.numbers("trained_betas").value_or(std::vector<double>{});
    if (!noise.betas.empty() && static_cast<int64_t>(noise.betas.size()) != noise.trainSteps) {
        corrupt("trained_betas",
                message("a list of {}", noise.betas.size()),
                message("as long as num_train_timesteps, {}", noise.trainSteps));
    }
    noise.zeroTerminalSnr =
        kind.hasZeroSnr && reader.boolean("rescale_betas_zero_snr").value_or(false);
    return noise;
}

[[noreturn]] void refuseOption(const SchedulerClass& kind,
                               const char* option,
                               const std::string& value,
                               const Message& hint) {
    throw Error(ErrorKind::InvalidInput,
                message("{} has no {} \"{}\"", kind.label, option, value),
                hint,
                option);
}

/// A class of the reference whose noise levels follow from no training timesteps.
bool isOfClass(const JsonReader& reader, std::string_view prefix) {
    return reader.text("_class_name").value_or("").starts_with(prefix);
}

[[noreturn]] void refuseProcess(const SchedulerClass& kind, const Message& process) {
    throw Error(
        ErrorKind::InvalidInput,
        message("{} does not serve this checkpoint: it was trained with {}", kind.label, process),
        message("choose euler, heun, dpmpp_2m, dpmpp_2m_sde or unipc"),
        "sampler");
}

double above(const JsonReader& reader, const char* key, double missing, double least) {
    const double value = reader.number(key).value_or(missing);
    if (!(std::isfinite(value) && value > least)) {
        corrupt(key, Message(formatNumber(value)), message("above {}", formatNumber(least)));
    }
    return value;
}

/// Settings of the classes EDM..., with the user's choice of levels.
std::optional<EdmSchedule> readEdm(const JsonReader& reader,
                                   const SchedulerClass& kind,
                                   const ScheduleOptions& options) {
    if (!isOfClass(reader, kEdmPrefix)) {
        return std::nullopt;
    }
    if (!kind.hasEdm) {
        refuseProcess(kind, message("noise levels of its own (EDM), not timesteps"));
    }
    EdmSchedule edm;
    edm.sigmaMin = above(reader, "sigma_min", edm.sigmaMin, 0);
    edm.sigmaMax = above(reader, "sigma_max", edm.sigmaMax, edm.sigmaMin);
    edm.sigmaData = above(reader, "sigma_data", edm.sigmaData, 0);
    edm.rho = above(reader, "rho", edm.rho, 0);
    const std::string file = reader.text("sigma_schedule").value_or("karras");
    if (file != "karras" && file != "exponential") {
        refuseSetting("sigma_schedule", file, message("karras or exponential"));
    }
    if (options.sigmas != "sampler" && options.sigmas != "karras" &&
        options.sigmas != "exponential") {
        refuseOption(kind,
                     "sigmas",
                     options.sigmas,
                     message("choose sampler, karras or exponential: the checkpoint is an EDM"));
    }
    edm.isExponential = (options.sigmas == "sampler" ? file : options.sigmas) == "exponential";
    return edm;
}

/// What families and users may choose, by name.
struct NamedFlowSpacing {
    const char* name;
    FlowSpacing spacing;
};

constexpr NamedFlowSpacing kFlowSpacings[] = {{"sampler", FlowSpacing::Sampler},
                                              {"class", FlowSpacing::Class},
                                              {"trailing", FlowSpacing::Trailing},
                                              {"linspace", FlowSpacing::Linspace}};

FlowSpacing readFlowSpacing(const JsonReader& reader,
                            const SchedulerClass& kind,
                            const ScheduleOptions& options) {
    const bool isChosen = options.spacing != "sampler";
    const std::string name =
        isChosen ? options.spacing : reader.text(kFlowSpacing).value_or("sampler");
    for (const NamedFlowSpacing& each : kFlowSpacings) {
        if (name == each.name && !(isChosen && each.spacing == FlowSpacing::Class)) {
            return each.spacing;
        }
    }
    refuseOption(kind,
                 "spacing",
                 name,
                 message("choose sampler, trailing or linspace: the checkpoint is a flow"));
}

/// e^mu or mu of a dynamic shift, else the file's own.
double readFlowShift(const JsonReader& reader, bool isOwnClass, bool isDynamic) {
    if (!isDynamic) {
        return above(reader, isOwnClass ? kOwnShift : kFlowShift, 1, 0);
    }
    const auto mu = reader.number(kFlowMu);
    if (!mu) {
        refuseSetting(kDynamic,
                      message("true, and no size of an image is known"),
                      message("false without one"));
    }
    const std::string type = reader.text(kTimeShift).value_or(kExponential);
    if (type != kExponential && type != kLinear) {
        refuseSetting(kTimeShift, type, message("exponential or linear"));
    }
    return type == kLinear ? *mu : std::exp(*mu);
}

std::optional<FlowSchedule> readFlow(const JsonReader& reader,
                                     const SchedulerClass& kind,
                                     const ScheduleOptions& options) {
    const bool isOwnClass = isOfClass(reader, kFlowPrefix);
    if (!isOwnClass && !reader.boolean(kFlowSetting).value_or(false)) {
        return std::nullopt;
    }
    if (!kind.hasFlow) {
        refuseProcess(kind, message("flow matching"));
    }
    for (const char* key : {"invert_sigmas", "stochastic_sampling"}) {
        refuseWhenSet(reader, key);
    }
    const double terminal = reader.number("shift_terminal").value_or(0);
    if (!(terminal >= 0 && terminal < 1)) {
        corrupt("shift_terminal", Message(formatNumber(terminal)), message("from 0 to below 1"));
    }
    const bool isDynamic = reader.boolean(kDynamic).value_or(false);
    return FlowSchedule{.shift = readFlowShift(reader, isOwnClass, isDynamic),
                        .isDynamic = isDynamic,
                        .followsSize = isDynamic || reader.boolean(kFollowsSize).value_or(false),
                        .terminal = terminal,
                        .spacing = readFlowSpacing(reader, kind, options)};
}

Prediction readPrediction(const JsonReader& reader,
                          const SchedulerClass& kind,
                          const SchedulerConfig& process) {
    if (process.flow) {
        const std::string flow = "flow_prediction";
        const std::string named = reader.text("prediction_type").value_or(flow);
        if (named != flow) {
            refuseSetting("prediction_type", named, message("{} for a flow", flow));
        }
        return Prediction::Flow;
    }
    const std::string name = reader.text("prediction_type").value_or("epsilon");
    if (name == "epsilon") {
        return Prediction::Epsilon;
    }
    if (name == "v_prediction") {
        return Prediction::Velocity;
    }
    if (name == "sample" && kind.predictsSample && !process.edm) {
        return Prediction::Sample;
    }
    const bool isSampleBuilt = kind.predictsSample && !process.edm;
    refuseSetting("prediction_type",
                  name,
                  isSampleBuilt ? message("epsilon, v_prediction or sample")
                                : message("epsilon, v_prediction"));
}

std::optional<Spacing> spacingNamed(const std::string& name) {
    if (name == "leading") {
        return Spacing::Leading;
    }
    if (name == "trailing") {
        return Spacing::Trailing;
    }
    if (name == "linspace") {
        return Spacing::Linspace;
    }
    return std::nullopt;
}

void refuseSpacing(const SchedulerClass& kind, const ScheduleOptions& options) {
    if (options.spacing != "sampler") {
        refuseOption(
            kind, "spacing", options.spacing, message("choose sampler, or another sampler"));
    }
}

Spacing readSpacing(const JsonReader& reader,
                    const SchedulerClass& kind,
                    const ScheduleOptions& options) {
    if (!kind.hasSpacing) {
        refuseSpacing(kind, options);
        return kind.spacing;
    }
    if (options.spacing != "sampler") {
        if (const auto chosen = spacingNamed(options.spacing)) {
            return *chosen;
        }
        throw Error(ErrorKind::InvalidInput,
                    message("there is no timestep spacing \"{}\"", options.spacing),
                    message("choose sampler, leading, trailing or linspace"),
                    "spacing");
    }
    const auto name = reader.text("timestep_spacing");
    if (!name) {
        return kind.spacing;
    }
    if (const auto spacing = spacingNamed(*name)) {
        return *spacing;
    }
    refuseSetting("timestep_spacing", *name, message("leading, trailing or linspace"));
}

struct NamedSpread {
    const char* name;
    const char* key;
    SigmaSpread spread;
};

/// The first that a file asks for wins.
constexpr NamedSpread kSpreads[] = {
    {"karras", "use_karras_sigmas", SigmaSpread::Karras},
    {"lu", "use_lu_lambdas", SigmaSpread::Lu},
    {"exponential", "use_exponential_sigmas", SigmaSpread::Exponential},
    {"beta", "use_beta_sigmas", SigmaSpread::Beta}};

bool isOffered(const NamedSpread& named, const SchedulerClass& kind) {
    return named.spread == SigmaSpread::Lu ? kind.hasLuLambdas : kind.hasSigmaSpreads;
}

SigmaSpread spreadOfFile(const JsonReader& reader, const SchedulerClass& kind) {
    SigmaSpread spread = SigmaSpread::Normal;
    int exclusive = 0;
    for (const NamedSpread& named : kSpreads) {
        if (!isOffered(named, kind) || !reader.boolean(named.key).value_or(false)) {
            continue;
        }
        spread = spread == SigmaSpread::Normal ? named.spread : spread;
        exclusive += named.spread == SigmaSpread::Lu ? 0 : 1;
    }
    if (exclusive > 1) {
        corrupt("use_karras_sigmas",
                message("true together with another spread of sigmas"),
                message("the only one"));
    }
    return spread;
}

SigmaSpread readSpread(const JsonReader& reader,
                       const SchedulerClass& kind,
                       const ScheduleOptions& options) {
    if (options.sigmas == "sampler") {
        return spreadOfFile(reader, kind);
    }
    if (options.sigmas == "normal") {
        return SigmaSpread::Normal;
    }
    std::vector<std::string> offered = {"sampler", "normal"};
    for (const NamedSpread& named : kSpreads) {
        if (isOffered(named, kind)) {
            if (options.sigmas == named.name) {
                return named.spread;
            }
            offered.emplace_back(named.name);
        }
    }
    refuseOption(kind,
                 "sigmas",
                 options.sigmas,
                 message("choose {}, or another sampler", join(offered, ", ")));
}

/// Between the first and the last level of a flow. Solvers of other classes mean levels of their
/// betas by the same settings.
SigmaSpread readFlowSpread(const JsonReader& reader,
                           const SchedulerClass& kind,
                           const ScheduleOptions& options) {
    if (options.sigmas == "lu") {
        refuseOption(
            kind,
            "sigmas",
            options.sigmas,
            message(
                "choose sampler, normal, karras, exponential or beta: the checkpoint is a flow"));
    }
    const bool isOfFile = options.sigmas == "sampler";
    if (isOfFile && !isOfClass(reader, kFlowPrefix)) {
        for (const NamedSpread& named : kSpreads) {
            refuseWhenSet(reader, named.key);
        }
    }
    return readSpread(reader, kind, options);
}

void checkEta(const SchedulerClass& kind, double eta) {
    if (eta > 0 && !kind.hasEta) {
        refuseOption(
            kind, "eta", formatNumber(eta), message("choose 0, or a sampler with eta: ddim, tcd"));
    }
}

std::optional<double> readSigma(const JsonReader& reader, const char* key) {
    const auto sigma = reader.number(key);
    if (sigma && !(*sigma > 0)) {
        corrupt(key, Message(formatNumber(*sigma)), message("above 0"));
    }
    return sigma;
}

bool readEndsAtZero(const JsonReader& reader) {
    const std::string last = reader.text("final_sigmas_type").value_or("zero");
    if (last != "zero" && last != "sigma_min") {
        refuseSetting("final_sigmas_type", last, message("zero or sigma_min"));
    }
    return last == "zero";
}

void checkSteps(int steps, int64_t trainSteps) {
    if (steps < 1 || steps > trainSteps) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} steps were asked for, the model was trained with {} timesteps",
                            steps,
                            trainSteps),
                    message("choose 1 to {} steps", trainSteps),
                    "steps");
    }
}

}  // namespace

bool hasEdmLevels(const Json& config) {
    return isOfClass(schedulerReader(config), kEdmPrefix);
}

bool isFlow(const Json& config) {
    const JsonReader reader = schedulerReader(config);
    return isOfClass(reader, kFlowPrefix) || reader.boolean(kFlowSetting).value_or(false);
}

Json withFlowShift(const Json& config, double shift) {
    Json set = {{kOwnShift, shift}, {kFlowShift, shift}, {kDynamic, false}};
    if (schedulerReader(config).boolean(kDynamic).value_or(false)) {
        set[kFollowsSize] = true;
    }
    return withSettings(config, set);
}

Json withFlowSpacing(const Json& config, FlowSpacing spacing) {
    const auto* const found =
        std::find_if(std::begin(kFlowSpacings), std::end(kFlowSpacings), [&](const auto& each) {
            return each.spacing == spacing;
        });
    return withSettings(config, {{kFlowSpacing, found->name}});
}

std::optional<double> flowMu(const Json& config, int64_t tokens) {
    const JsonReader reader = schedulerReader(config);
    if (!isFlow(config) || !reader.boolean(kDynamic).value_or(false)) {
        return std::nullopt;
    }
    const double base = reader.number("base_shift").value_or(0.5);
    const double most = reader.number("max_shift").value_or(1.15);
    const auto fewTokens = static_cast<double>(reader.integer("base_image_seq_len").value_or(256));
    const auto mostTokens = static_cast<double>(reader.integer("max_image_seq_len").value_or(4096));
    if (!(mostTokens > fewTokens)) {
        corrupt("max_image_seq_len",
                Message(formatNumber(mostTokens)),
                message("above base_image_seq_len, {}", formatNumber(fewTokens)));
    }
    const double slope = (most - base) / (mostTokens - fewTokens);
    return static_cast<double>(tokens) * slope + (base - slope * fewTokens);
}

Json withFlowMu(const Json& config, double mu) {
    return withSettings(config, {{kFlowMu, mu}});
}

double flowShiftOf(const Json& config, double mu) {
    const bool isLinear = schedulerReader(config).text(kTimeShift).value_or("") == kLinear;
    return isLinear ? mu : std::exp(mu);
}

SchedulerConfig readSchedulerConfig(const Json& config,
                                    const SchedulerClass& kind,
                                    const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    SchedulerConfig result;
    result.noise = readNoise(reader, kind);
    result.edm = readEdm(reader, kind, options);
    result.flow = readFlow(reader, kind, options);
    result.prediction = readPrediction(reader, kind, result);
    result.endsAtZero = !kind.hasFinalSigma || readEndsAtZero(reader);
    checkEta(kind, options.eta);
    checkSteps(options.steps, result.noise.trainSteps);
    if (result.flow) {
        result.spread = readFlowSpread(reader, kind, options);
        return result;
    }
    if (result.edm) {
        refuseSpacing(kind, options);
        return result;
    }
    result.spacing = readSpacing(reader, kind, options);
    result.stepsOffset = reader.integer("steps_offset").value_or(0);
    if (result.stepsOffset < 0 || result.stepsOffset >= result.noise.trainSteps) {
        corrupt("steps_offset",
                Message(std::to_string(result.stepsOffset)),
                message("a training timestep"));
    }
    result.spread = readSpread(reader, kind, options);
    result.karrasTimesteps = kind.karrasTimesteps;
    if (kind.hasSigmaSpreads) {
        result.sigmaMin = readSigma(reader, "sigma_min");
        result.sigmaMax = readSigma(reader, "sigma_max");
    }
    return result;
}

std::optional<int> shortenedEnd(const ScheduleOptions& options, int steps) {
    const bool ends = options.endStep >= 0 && options.endStep < steps && !options.keepNoise;
    return ends ? std::optional<int>(options.endStep) : std::nullopt;
}

void refuseSetting(const std::string& key, const Message& value, const Message& built) {
    throw Error(ErrorKind::Unsupported,
                message("{}: \"{}\" is {}, which is not built", kFileName, key, value),
                message("what is built: {}; choose another sampler or checkpoint", built),
                key);
}

void refuseSetting(const std::string& key, const std::string& value, const Message& built) {
    refuseSetting(key, Message(value), built);
}

JsonReader schedulerReader(const Json& config) {
    return {config, kFileName};
}

void refuseWhenSet(const JsonReader& reader, const char* key) {
    if (reader.boolean(key).value_or(false)) {
        refuseSetting(key, "true", message("false"));
    }
}

std::optional<double> readClip(const JsonReader& reader, bool missing) {
    if (!reader.boolean("clip_sample").value_or(missing)) {
        return std::nullopt;
    }
    return reader.number("clip_sample_range").value_or(1.0);
}

Json withSettings(const Json& config, const Json& settings) {
    (void)schedulerReader(config);  // refuses what is no object
    Json changed = config;
    changed.update(settings);
    return changed;
}

}  // namespace lowtide::sampling
