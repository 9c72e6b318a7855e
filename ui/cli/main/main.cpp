#include "plugin/base/error.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/door/os.hpp"

#include <cstdio>
#include <exception>

int main(int count, char** arguments) {
    lowtide::door::keepBigBlocks();
    lowtide::door::shortenSpins();
    try {
        return lowtide::cli::runCommandLine(count, arguments);
    } catch (const lowtide::Error& error) {
        lowtide::cli::printError(error);
        return lowtide::cli::exitCodeOf(error);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lowtide: %s\n", error.what());
        return static_cast<int>(lowtide::Status::Failed);
    }
}
