#pragma once

namespace lowtide::sampling {

/// A network that takes the place of the first one where there is less noise.
struct SecondExpert {
    double boundary = 0;  ///< calls whose timesteps lie below it are its
    double guidanceScale = 1;

    [[nodiscard]] bool takes(double timestep) const { return timestep < boundary; }
};

}  // namespace lowtide::sampling
