#pragma once

#include "plugin/checkpoints/layouts/layout.hpp"

namespace lowtide::models {

const Layout& sd_ldm();
const Layout& sdxl_ldm();
const Layout& wanFile();
const Layout& wanAutoencoderFile();
const Layout& hidreamFile();
const Layout& zimageFile();
const Layout& fluxFile();

}  // namespace lowtide::models
