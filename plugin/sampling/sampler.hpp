#pragma once
// The contract of a sampler, the history that it carries from pass to pass, and the list of all
// that are built.

#include "plugin/base/json.hpp"
#include "plugin/tensor/generator.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// What a user chose, on top of the checkpoint's scheduler_config.json. "sampler" leaves the
/// sampler's own way.
struct ScheduleOptions {
    int steps = 20;
    std::string sigmas = "sampler";   ///< sampler, normal, karras, exponential, beta, lu
    std::string spacing = "sampler";  ///< sampler, leading, trailing, linspace
    double eta = 0;
    int endStep = -1;  ///< steps to run to, -1: all
    bool keepNoise =
        false;  ///< with endStep: leave the noise in; else the last step goes to sigma 0
    /// The part of its timesteps, the lowest, that a sampler with takesStrength spreads its steps
    /// over.
    double strength = 1;
};

/// The schedule after set_timesteps, as the reference records it. All on the CPU.
struct Schedule {
    at::Tensor timesteps;       ///< [calls] int64 or f32
    at::Tensor sigmas;          ///< [calls + 1] f32, or undefined where the reference has none
    double initNoiseSigma = 1;  ///< factor of the initial noise
    /// Of the training that the timesteps count; none where they are other times (EDM).
    std::optional<int64_t> trainSteps{};
};

class LevelSampler;

/// One sampler for one run of one node: schedule and history. Numbers follow diffusers 0.42.1,
/// class by class.
class Sampler {
public:
    virtual ~Sampler() = default;

    [[nodiscard]] virtual const Schedule& schedule() const = 0;

    /// The sampler where it takes all steps of a pass by itself (LevelSampler::solve); else
    /// nullptr.
    [[nodiscard]] virtual const LevelSampler* alongLevels() const { return nullptr; }

    /// Network calls (rows of schedule().timesteps).
    [[nodiscard]] int callCount() const { return static_cast<int>(schedule().timesteps.size(0)); }

    /// Steps as a user counts them; a step may take several network calls.
    [[nodiscard]] virtual int stepCount() const { return callCount(); }

    /// The call that step `step` begins with; callCount() at the end and beyond.
    [[nodiscard]] virtual int firstCall(int step) const { return std::min(step, callCount()); }

    /// The call before which a pass ends that goes to noise 0 in the step before `step`: such a
    /// step needs no second stage.
    [[nodiscard]] virtual int cleanEnd(int step) const { return firstCall(step); }

    /// The call that a pass begins with whose part of the schedule begins with `call`: a step with
    /// several stages is not begun inside. Errors: Error{InvalidInput} blames "start_at".
    [[nodiscard]] virtual int beginOf(int call) const { return call; }

    /// Stage of call `call` inside its step, for solvers with several calls in a step.
    [[nodiscard]] virtual int solverStage(int /*call*/) const { return 0; }

    /// Noise per signal of the latents that call `call` reads; infinite for noise alone.
    [[nodiscard]] virtual double noiseRatio(int call) const;

    /// Latents as the network wants them before call `call` (scale_model_input).
    [[nodiscard]] virtual at::Tensor scaleInput(const at::Tensor& latents, int call) const = 0;
    /// The clean latents that the guided prediction of call `call` stands for: what a preview
    /// shows.
    [[nodiscard]] virtual at::Tensor cleanAt(const at::Tensor& prediction,
                                             const at::Tensor& latents,
                                             int call) const = 0;
    /// One scheduler step from the guided prediction to the latents of call + 1. Draws from `noise`
    /// where it must.
    [[nodiscard]] virtual at::Tensor step(
        const at::Tensor& prediction,
        int call,
        const at::Tensor& latents,
        const std::function<at::Tensor(at::IntArrayRef)>& noise) = 0;
    /// Clean latents with the noise of call `call` (add_noise), to start in the middle.
    [[nodiscard]] virtual at::Tensor addNoise(const at::Tensor& clean,
                                              const at::Tensor& noise,
                                              int call) const = 0;

    /// History for SamplerCarry; empty for samplers without one.
    virtual void save(tensor::SamplerCarry& /*carry*/) const {}

    virtual void restore(const tensor::SamplerCarry& /*carry*/) {}

    /// Most tensors of the latents' shape that save() gives.
    [[nodiscard]] virtual int historyLength() const { return 0; }
};

/// One timestep of a schedule: a host tensor of an int64 or f32.
[[nodiscard]] double timestepIn(const at::Tensor& timestep);

/// num_train_timesteps of a checkpoint's scheduler_config.json; 1000 where it states none.
[[nodiscard]] int64_t trainStepsOf(const Json& checkpointConfig);

/// What a sampler comes to with the settings of one file.
struct SamplerFacts {
    std::string label;
    bool drawsNoise = false;
};

/// A sampler that is built: its name (reference/lib/schedulers.py), label and how it is made.
struct SamplerType {
    std::string name;
    std::string label;           ///< for users and A1111 metadata: "DPM++ 2M"
    std::string schedulerClass;  ///< diffusers class that it replaces: "DDIMScheduler"
    /// Its classes for models with other noise processes.
    std::vector<std::string> otherClasses{};
    /// Settings of a scheduler_config.json that mean this type among those of one class; empty: the
    /// one that the class is without them.
    Json settings = Json::object();
    /// Settings that a user means who picks the type by its name, in place of the file's: a
    /// label states order and algorithm.
    Json named = Json::object();
    /// For models that were distilled into a few steps, which have little in common.
    bool isDistilled = false;
    /// Its steps draw fresh noise whatever eta is.
    bool drawsNoise = false;
    bool readsZeroSnr = false;   ///< knows rescale_betas_zero_snr
    bool takesStrength = false;  ///< reads ScheduleOptions::strength
    /// Where label and noise depend on the file; empty: `label` and `drawsNoise`.
    std::function<SamplerFacts(const Json& config)> facts{};
    /// `config`: the checkpoint's scheduler_config.json; missing settings get the class's defaults,
    /// as from_config does. Errors: Unsupported names the setting.
    std::function<std::unique_ptr<Sampler>(const Json& config, const ScheduleOptions& options)>
        make;
};

/// All samplers that are built, by name.
[[nodiscard]] std::span<const SamplerType> samplers();

/// A type with the settings that it is made of: the file's, with those that its name means.
struct ChosenSampler {
    const SamplerType& type;
    Json config;
    SamplerFacts facts;
};

/// The settings that a user's choice gives with a checkpoint's scheduler_config.json; "checkpoint"
/// leaves the file's settings as they are. Errors as samplerNamed(), and those of the settings.
[[nodiscard]] ChosenSampler chosenSampler(const std::string& name, const Json& checkpointConfig);

/// The type for a name, or for "checkpoint" the one of the checkpoint's own class.
/// Error{InvalidInput} lists what there is.
[[nodiscard]] const SamplerType& samplerNamed(const std::string& name,
                                              const Json& checkpointConfig);

/// Throws Error{Internal} with `problem` unless a carry fits the sampler that shall take it over.
void requireCarried(bool fits, const Message& problem);

/// The predictions of the calls before, at most a given number of them, newest last.
class History {
public:
    explicit History(size_t most) : most_(most) {}

    [[nodiscard]] size_t size() const { return entries_.size(); }

    [[nodiscard]] size_t most() const { return most_; }

    /// The prediction of `calls` calls ago, 1 being the newest.
    [[nodiscard]] const at::Tensor& ago(size_t calls) const {
        return entries_[entries_.size() - calls];
    }

    /// Appends and forgets the oldest.
    void push(const at::Tensor& prediction);

    [[nodiscard]] const std::vector<at::Tensor>& entries() const { return entries_; }

    /// Takes over what entries() gave. Error{Internal} if there are more than `most`.
    void restore(std::span<const at::Tensor> entries);

private:
    size_t most_;
    std::vector<at::Tensor> entries_;
};

}  // namespace lowtide::sampling
