#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "service/access.hpp"
#include "service/service.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

namespace lowtide::cli {

namespace {

constexpr uint16_t kUsualPort = 8197;
constexpr size_t kShortestToken = 16;
constexpr std::chrono::milliseconds kLook{100};

std::string chosenToken(const std::string& given) {
    if (!given.empty() && given.size() < kShortestToken) {
        throw Error(
            ErrorKind::InvalidInput,
            message("the token has {} bytes, it must have {}", given.size(), kShortestToken),
            message("leave --token out for a new one"));
    }
    return given.empty() ? service::newToken() : given;
}

/// A program that starts this one reads these lines.
void printAddresses(const service::Service& service, const service::ServiceSettings& settings) {
    if (service.port() != 0) {
        const bool isIpv6 = settings.address.find(':') != std::string::npos;
        std::printf("address http://%s%s%s:%d\n",
                    isIpv6 ? "[" : "",
                    settings.address.c_str(),
                    isIpv6 ? "]" : "",
                    service.port());
    }
    if (!settings.socketPath.empty()) {
        std::printf("socket %s\n", settings.socketPath.c_str());
    }
    std::printf("token %s\n", settings.token.c_str());
    std::fflush(stdout);
}

}  // namespace

Status serve(const ServeArguments& arguments) {
    const int parent = parentProcess();
    catchInterrupts();
    const auto out = std::filesystem::absolute(arguments.out).lexically_normal();
    service::ServiceSettings settings{
        .out = modulePath(out.has_filename() ? out : out.parent_path(),
                          message("the folder for images")),
        .models = modelFoldersNamed(arguments.modelFolders),
        .resources = {},
        .token = chosenToken(arguments.token),
        .address = arguments.listen,
        .port = arguments.socket.empty() ? arguments.port.value_or(kUsualPort) : arguments.port,
        .socketPath = arguments.socket};
    GraphArguments start;
    start.modelFolders = arguments.modelFolders;
    start.threads = arguments.threads;
    Plugin& plugin = startModule(start, arguments.log);
    settings.resources = loader::resourcesFolder();
    {
        const service::Service service(plugin, settings);
        printAddresses(service, settings);
        while (interruptCount() == 0 && (!arguments.exitWithParent || parentProcess() == parent)) {
            std::this_thread::sleep_for(kLook);
        }
    }
    plugin.runner()->stop();
    return Status::Ok;
}

}  // namespace lowtide::cli
