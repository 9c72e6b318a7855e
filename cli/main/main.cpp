#include "cli/command_line.hpp"
#include "ui/loader/os.hpp"

int main(int count, char** arguments) {
    lowtide::loader::keepBigBlocks();
    lowtide::loader::shortenSpins();
    return lowtide::cli::runCommandLine(count, arguments);
}
