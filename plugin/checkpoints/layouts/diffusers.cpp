#include "plugin/checkpoints/checkpoint_folder.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"

namespace lowtide::models {

namespace {

/// Whatever folder no other layout knows: what it lacks, the one who opens it says.
double detectFolder(const ModelSource& source) {
    return source.header ? 0 : 0.5;
}

std::unique_ptr<Checkpoint> openFolder(ModelSource source, const std::string&) {
    return std::make_unique<CheckpointFolder>(source.path.path, source.path.name);
}

}  // namespace

const Layout& diffusers() {
    static const Layout layout{.name = "diffusers", .detect = detectFolder, .open = openFolder};
    return layout;
}

}  // namespace lowtide::models
