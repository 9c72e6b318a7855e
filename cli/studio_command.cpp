#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "plugin/base/error.hpp"
#include "ui/loader/os.hpp"

namespace lowtide::cli {

int openStudio(const std::string& graph) {
    const std::string path = loader::programFolder() + "/lowtide-studio";
    const std::vector<std::string> words =
        graph.empty() ? std::vector<std::string>() : std::vector<std::string>{graph};
    const std::string reason = becomeProgram(path, words);
    throw Error(
        ErrorKind::NotFound,
        message("lowtide-studio cannot be started: {}", reason),
        message(
            "it lies next to this command; build it (./dev build) or install the package again"));
}

}  // namespace lowtide::cli
