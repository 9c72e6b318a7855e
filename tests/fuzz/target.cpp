#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace lowtide::fuzz {

namespace {

std::vector<Target>& targets() {
    static std::vector<Target> all;
    return all;
}

}  // namespace

bool enterTarget(const char* name, RunInput run) {
    targets().push_back({name, run});
    return true;
}

const Target& targetNamed(const std::string& name) {
    const auto found = std::find_if(targets().begin(), targets().end(), [&](const Target& target) {
        return target.name == name || (name.empty() && targets().size() == 1);
    });
    if (found == targets().end()) {
        throw std::runtime_error("there is no target \"" + name + "\"");
    }
    return *found;
}

}  // namespace lowtide::fuzz
