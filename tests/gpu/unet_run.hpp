#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <QByteArray>

#include <string>

namespace lowtide::testing {

/// A checkpoint, and the image for which its UNet is measured.
struct UnetCase {
    std::string name;
    std::string checkpoint;
    int pixels = 0;  ///< of each side
    int steps = 0;   ///< over which a step is timed
    int rounds = 2;  ///< of which the quickest counts
};

/// How the denoiser of a run holds its weights and computes.
struct UnetWay {
    std::string name;
    std::string policy = "none";
    std::string precision = "balanced";
    Bytes budget = 0;  ///< of the whole run on the device; 0: what it has
};

/// What a run's report states of its denoiser; "a step" is one after the first.
struct UnetFigures {
    double seconds = 0;      ///< of a step
    double copySeconds = 0;  ///< of a step: how long the copy queue worked
    double planned = 0;      ///< seconds of a step, as its plan stated
    Bytes moved = 0;         ///< in a step, to the device
    Bytes peak = 0;          ///< on the device
    Bytes weights = 0;       ///< of the denoiser, as they lie on the device
    Bytes extra = 0;         ///< most that was planned there in addition to weights
    std::string device;      ///< "cuda:0"
    std::string issues;      ///< codes of what the runs had to report
    QByteArray dump;         ///< every intermediate value of a run of a few steps
    std::string problem;     ///< why there are no figures; empty: there are

    /// Refused before the run, because the device is too small.
    [[nodiscard]] bool isTooLarge() const {
        return problem.find("do not fit") != std::string::npos;
    }
};

/// Options of a run of the example graph text_to_image up to the denoiser, which makes so many
/// steps.
[[nodiscard]] Json unetOptions(const UnetCase& unet, const UnetWay& way, int steps);

/// Runs it in the module on a device ("cuda", "fake:1GiB"). A step is the difference between the
/// stages of a long and a short run, which both record their forwards where they can; of each the
/// quickest round counts.
[[nodiscard]] UnetFigures measureUnet(const UnetCase& unet,
                                      const UnetWay& way,
                                      const std::string& device);

/// A row with what is known of a way: model, way, and figures or "refused".
[[nodiscard]] Json rowOf(const UnetCase& unet, const std::string& way, const UnetFigures& figures);

}  // namespace lowtide::testing
