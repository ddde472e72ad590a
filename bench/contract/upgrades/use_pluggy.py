"""A user's program: a text tool whose steps are plugins, with one that wraps the others."""

import pluggy

spec, impl = pluggy.HookspecMarker("tool"), pluggy.HookimplMarker("tool")


class Steps:
    @spec
    def change(self, text, options):
        """Return a changed text, or None."""

    @spec(firstresult=True)
    def name_of(self, path):
        """Return a name for a file."""


class Upper:
    @impl
    def change(self, text):
        return text.upper()

    @impl(trylast=True)
    def name_of(self, path):
        return path.rpartition("/")[2]


class Trimmed:
    @impl(tryfirst=True)
    def change(self, text, options):
        return text[: options.get("width", 5)]

    @impl(hookwrapper=True)
    def name_of(self, path):
        outcome = yield
        outcome.force_result(outcome.get_result() + ".txt")


class Broken:
    @impl
    def change(self, text):
        raise ValueError(text)


manager = pluggy.PluginManager("tool")
manager.add_hookspecs(Steps)
manager.register(Upper(), "upper")
trimmed = Trimmed()
manager.register(trimmed)
print(manager.hook.change(text="some words", options={"width": 3}), manager.hook.name_of(path="a/b"))
manager.register(Broken(), "broken")
try:
    manager.hook.change(text="more", options={})
except ValueError as error:
    print(error.args)
manager.unregister(name="broken")
manager.set_blocked("later")
print(manager.is_blocked("later"), manager.has_plugin("upper"), len(manager.get_plugins()))
print(manager.subset_hook_caller("change", [trimmed])(text="sub", options={}))
print([each.plugin_name for each in manager.hook.change.get_hookimpls()][-1:], manager.check_pending())
