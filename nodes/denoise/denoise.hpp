#pragma once
// Noise, or latents with noise, to latents: for a node and for the tiles of a detail pass.

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/sampling/denoise_loop.hpp"

#include <cstdint>
#include <string>

namespace lowtide::nodes {

struct DenoiseAsked {
    WireRef model;
    WireRef positive;
    WireRef negative;  ///< may be null where guidance is off: no empty prompt is encoded here
    WireRef latent;
    WireRef mask;         ///< may be null: everything is regenerated
    WireRef masked;       ///< may be null; latent of the masked image, for models that fill masks
    WireRef stepCache;    ///< may be null: every step computes the whole network
    WireRef control;      ///< may be null: nothing is added inside the network
    WireRef imagePrompt;  ///< may be null: the text alone is followed
    int steps = 20;
    double cfg = -1;      ///< below 0: the model's usual guidance
    double cfg2 = 0;      ///< of the low-noise model; 0: as cfg
    double boundary = 0;  ///< fraction of the timesteps that it takes; 0: the model's own
    uint64_t seed = 0;
    sampling::BatchNoise batchNoise = sampling::BatchNoise::OneStream;
    std::string sampler = "checkpoint";  ///< one of samplerParam()
    std::string schedule = "automatic";  ///< one of scheduleParam()
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    sampling::NoiseWay noise = sampling::NoiseWay::Diffusers;
    int startStep = 0;
    int endStep = -1;
    bool addNoise = true;
    bool keepNoise = false;
    /// Fractions of the schedule instead of steps, for a base and its refiner: a pass that begins
    /// at one above 0 adds no noise, one that ends at one below 1 leaves its noise in.
    double startAt = 0;
    double endAt = 1;
    double eta = 0;
    double shift = 0;  ///< of a flow's noise levels; 0: the family's for the size, else the file's
    double guidanceRescale = 0;
    double strength = 1;  ///< fraction of the steps that are taken, the last ones; 1: all
    memory::PrecisionChoice precision{};
};

/// Fills an empty latent, or goes on with one: sampler over denoiser.
[[nodiscard]] WireRef denoiseLatents(models::StageContext& context,
                                     const DenoiseAsked& asked,
                                     const StageCall& call);

}  // namespace lowtide::nodes
