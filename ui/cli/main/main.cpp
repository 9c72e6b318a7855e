#include "ui/cli/command_line.hpp"
#include "ui/door/os.hpp"

int main(int count, char** arguments) {
    lowtide::door::keepBigBlocks();
    lowtide::door::shortenSpins();
    return lowtide::cli::runCommandLine(count, arguments);
}
