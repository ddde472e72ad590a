#include <stdio.h>
#include "parson.h"
int main(void) {
    JSON_Value *v = json_parse_string("{\"a\": [1, 2.5, -3e10, 1e-7], \"b\": {\"c\": \"x\\u00e9\\n/\", \"d\": null}, \"e\": true}");
    JSON_Object *o = json_value_get_object(v);
    printf("%g %s\n", json_array_get_number(json_object_get_array(o, "a"), 1), json_object_dotget_string(o, "b.c"));
    json_object_set_number(o, "n", 1000000);
    json_object_dotset_string(o, "p.q", "r");
    json_object_remove(o, "e");
    char *s = json_serialize_to_string(v);
    puts(s);
    json_free_serialized_string(s);
    s = json_serialize_to_string_pretty(v);
    puts(s);
    json_free_serialized_string(s);
    JSON_Value *w = json_value_deep_copy(v);
    printf("%d %zu\n", json_value_equals(v, w), json_object_get_count(json_value_get_object(w)));
    printf("%p\n", (void *)json_parse_string("{\"a\": 1,}"));
    printf("%p\n", (void *)json_parse_string("[01]"));
    json_value_free(v); json_value_free(w);
    return 0;
}
