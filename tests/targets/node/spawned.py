def spawned_in_python(number):
    return number + 1


print(spawned_in_python(2), flush=True)
